/** What every provider promises, whoever it is: adding one is a line in the table of fixtures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eraseNotice } from '../../src/domain/personal-data/erase.ts';
import { createScrub } from '../../src/domain/personal-data/scrub.ts';
import type { Provider, RawDelivery, Translation } from '../../src/providers/provider.ts';
import { providers } from '../../src/providers/providers.ts';
import {
  flatPartnerEvent,
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
  pathsOf,
  replaceAt,
  signPartner,
  toFormData,
} from '../support/deliveries.ts';

type Fields = Record<string, unknown>;

type Fixture = {
  /** The headers with which this provider proves that the bytes are its own. */
  readonly prove: (bytes: Buffer, secret: string) => Record<string, string>;
  readonly proofCoversBytes: boolean;
  /** The header that names a delivery, the same on every repeat. */
  readonly keyHeader: string;
  /** Bodies that give a notice. */
  readonly bodies: readonly Fields[];
  /** Other forms than JSON in which the same body may come. */
  readonly otherForms: readonly ((body: Fields) => string)[];
  /** Words of the provider or a bank that are shown. */
  readonly textPaths: readonly (readonly string[])[];
  /** Fields without which a body names nothing, in a body of this provider. */
  readonly idPaths: readonly (readonly string[])[];
};

const payment = partnerPayment({
  id: 'pay_LZ7rTqkY6Pm3xA',
  order_id: 'order_LZ7pXQNdQ2kS1f',
  notes: { invoice_id: 'INV-1' },
});
const refund = partnerRefund(payment, { id: 'rfnd_LZ8bMGtX0pVq4s', receipt: 'RR-1' });

const fixtures: Readonly<Record<string, Fixture>> = {
  partner: {
    prove: (bytes, secret) => ({ 'x-razorpay-signature': signPartner(bytes, secret) }),
    proofCoversBytes: true,
    keyHeader: 'x-razorpay-event-id',
    bodies: [
      partnerEvent('payment.captured', { payment }),
      partnerEvent('payment.failed', {
        payment: { ...payment, status: 'failed', error_reason: 'incorrect_otp' },
      }),
      partnerEvent('order.paid', { payment, order: { id: payment.order_id, receipt: 'INV-1' } }),
      partnerEvent('refund.processed', { refund, payment: { ...payment, status: 'refunded' } }),
      flatPartnerEvent('refund.failed', { refund, payment }),
    ],
    otherForms: [],
    textPaths: [['payload', 'payment', 'entity', 'error_description']],
    idPaths: [['event'], ['payload']],
  },
  'bank-gateway': {
    prove: (_bytes, secret) => ({ 'x-notification-secret': secret }),
    proofCoversBytes: false,
    keyHeader: 'x-notification-id',
    bodies: [
      gatewayBody({ order: { id: 'o_1', reference: 'INV-1' } }),
      gatewayBody({
        order: { id: 'o_1' },
        result: 'FAILURE',
        response: { gatewayCode: 'DECLINED', risk: { gatewayCode: 'ACCEPTED' } },
      }),
      gatewayBody({
        order: { id: 'o_1' },
        transaction: { id: '2', type: 'CAPTURE', targetTransactionId: '1' },
      }),
      gatewayBody({ order: { id: 'o_1' }, transaction: { id: '3', type: 'REFUND' } }),
    ],
    // Half of a surrogate pair has no percent-encoding.
    otherForms: [(body) => toFormData(JSON.parse(JSON.stringify(body).replaceAll('\\ud800', '?')))],
    textPaths: [['response', 'acquirerMessage']],
    idPaths: [['order', 'id'], ['transaction', 'id'], ['transaction', 'type'], ['order']],
  },
};

const account = { bankGatewayMerchant: 'TESTMERCHANT' };
const liveSecrets = ['secret-of-today', 'secret-of-yesterday', 'secret-of-last-week'];
const runs = { numRuns: 2_000 };

test('every provider has its fixtures', () => {
  assert.deepEqual(
    Object.keys(fixtures),
    providers.map(({ name }) => name),
  );
});

for (const provider of providers) {
  const fixture = fixtureOf(provider);
  const is = (guarantee: string) => `${provider.name}: ${guarantee}`;
  const [body] = fixture.bodies as [Fields];
  const bytes = encode(body);

  test(is('a proof under a live secret is verified, whichever of them it is'), () => {
    for (const secret of liveSecrets) {
      const headers = fixture.prove(bytes, secret);
      assert.equal(provider.verify({ headers, body: bytes }, liveSecrets), 'verified');
      assert.equal(provider.verify({ headers, body: bytes }, liveSecrets.toReversed()), 'verified');
      assert.equal(provider.verify({ headers, body: bytes }, [secret]), 'verified');
    }
  });

  test(is('a proof under any other secret is refused'), () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.subarray(liveSecrets), (secret, live) => {
        fc.pre(!live.includes(secret));
        const headers = fixture.prove(bytes, secret);
        assert.equal(provider.verify({ headers, body: bytes }, live), 'refused');
      }),
      runs,
    );
  });

  test(is('a proof that is cut, longer, in another case or empty is refused'), () => {
    const [[name, proof]] = Object.entries(fixture.prove(bytes, 'secret-1')) as [[string, string]];
    const wrong = ['', ' ', proof.slice(0, -1), `${proof}0`, ` ${proof}`, proof.toUpperCase()];
    for (const value of wrong) {
      const delivery = { headers: { [name]: value }, body: bytes };
      assert.equal(provider.verify(delivery, ['secret-1']), 'refused', `"${value}"`);
    }
  });

  test(is('no proof at all is absent, with and without live secrets'), () => {
    const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
    assert.equal(provider.verify({ headers, body: bytes }, liveSecrets), 'absent');
    assert.equal(provider.verify({ headers: {}, body: bytes }, []), 'absent');
  });

  if (fixture.proofCoversBytes) {
    test(is('one changed bit of the body is refused'), () => {
      const headers = fixture.prove(bytes, 'secret-1');
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.nat(7), (index, bit) => {
          const changed = Buffer.from(bytes);
          changed[index] = (changed[index] ?? 0) ^ (1 << bit);
          assert.equal(provider.verify({ headers, body: changed }, ['secret-1']), 'refused');
        }),
        runs,
      );
    });
  }

  test(
    is('a body without ids or without its event is unreadable, and says what is missing'),
    () => {
      for (const path of fixture.idPaths) {
        for (const value of [undefined, null, '', '  ', [], {}]) {
          const translation = translate(provider, encode(replaceAt(body, path, value)));
          assert.equal(
            translation.kind,
            'unreadable',
            `${path.join('.')} ${JSON.stringify(value)}`,
          );
          assert.match(translation.kind === 'unreadable' ? translation.why : '', /missing|no id/);
        }
      }
    },
  );

  test(is('what is not an object is unreadable'), () => {
    const texts = ['', ' ', 'null', '[]', '"text"', '17', '{', '{"event":', '\0', 'hello there'];
    for (const text of texts) {
      assert.equal(translate(provider, Buffer.from(text)).kind, 'unreadable', text);
    }
    const cut = encode(body).subarray(0, -1);
    assert.equal(translate(provider, cut).kind, 'unreadable');
  });

  test(is('every valid body gives a notice'), () => {
    for (const valid of fixture.bodies) assertStorable(getNotice(provider, encode(valid)));
  });

  test(is('arbitrary bytes are translated without a throw, twice alike'), () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (arbitrary) => {
        assertSound(provider, Buffer.from(arbitrary));
      }),
      runs,
    );
  });

  test(is('arbitrary JSON is translated without a throw, twice alike'), () => {
    fc.assert(
      fc.property(fc.json(), (arbitrary) => assertSound(provider, Buffer.from(arbitrary))),
      runs,
    );
  });

  test(is('valid bodies with anything anywhere in them never throw and stay storable'), () => {
    fc.assert(
      fc.property(mutated(fixture.bodies), (arbitrary) => {
        assertSound(provider, encode(arbitrary));
      }),
      runs,
    );
  });

  for (const toForm of fixture.otherForms) {
    test(is('in its other form such bodies never throw and stay storable either'), () => {
      fc.assert(
        fc.property(mutated(fixture.bodies), (arbitrary) => {
          assertSound(provider, Buffer.from(toForm(arbitrary)));
        }),
        runs,
      );
    });
  }

  for (const toBytes of [
    encode,
    ...fixture.otherForms.map((toForm) => (some: Fields) => Buffer.from(toForm(some))),
  ]) {
    test(is('an erased body means what it meant, without personal data'), () => {
      fc.assert(
        fc.property(mutated(fixture.bodies, personalTexts), (arbitrary) => {
          assertErasable(provider, toBytes(arbitrary));
        }),
        runs,
      );
    });

    test(is('an erased body keeps no field that nobody knows, and no personal text'), () => {
      for (const valid of fixture.bodies) {
        const strange = withStrangers(valid, { email: personalEmail, [personalEmail]: 1 });
        const erased = erase(provider, toBytes(strange as Fields)).toString('utf8');
        assert.doesNotMatch(decodeURIComponent(erased), /asha|98765|zz_new/);
        for (const path of fixture.textPaths) {
          const spoken = replaceAt(valid, path, `by ${personalEmail}, +91 98765 43210.`);
          const text = erase(provider, toBytes(spoken)).toString('utf8');
          assert.doesNotMatch(decodeURIComponent(text), /asha|98765/, path.join('.'));
        }
      }
    });
  }

  test(is('equal bodies give equal notices, in whatever order their fields come'), () => {
    for (const valid of fixture.bodies) {
      const notice = getNotice(provider, encode(valid));
      assert.deepEqual(getNotice(provider, encode(structuredClone(valid))), notice);
      assert.deepEqual(getNotice(provider, encode(reversed(valid) as Fields)), notice);
    }
  });

  test(is('fields nobody knows change nothing'), () => {
    for (const valid of fixture.bodies) {
      const notice = getNotice(provider, encode(valid));
      assert.deepEqual(getNotice(provider, encode(withStrangers(valid) as Fields)), notice);
    }
  });

  test(is('a delivery is proved by one header, and without it the proof is absent'), () => {
    const { proofHeader } = provider;
    assert.deepEqual(Object.keys(fixture.prove(bytes, 'secret-1')), [proofHeader]);
    assert.equal(provider.verify({ headers: {}, body: bytes }, ['secret-1']), 'absent');
    for (const value of ['', 'wrong']) {
      const raw = { headers: { [proofHeader]: value }, body: bytes };
      assert.equal(provider.verify(raw, ['secret-1']), 'refused');
    }
  });

  test(is('the headers that are kept tell of a repeat, and none of them proves anything'), () => {
    const proofs = Object.keys(fixture.prove(bytes, 'secret-1'));
    assert.ok(provider.storedHeaders.includes(fixture.keyHeader));
    for (const name of [...proofs, 'authorization']) {
      assert.equal(provider.storedHeaders.includes(name), false, name);
    }
  });

  test(is('the event id is the header that names it; an empty one names nothing'), () => {
    const { keyHeader } = fixture;
    assert.equal(provider.findEventId({ headers: { [keyHeader]: 'E-1' }, body: bytes }), 'E-1');
    assert.equal(provider.findEventId({ headers: {}, body: bytes }), undefined);
    for (const empty of ['', ' ']) {
      assert.equal(
        provider.findEventId({ headers: { [keyHeader]: empty }, body: bytes }),
        undefined,
      );
    }
  });
}

function fixtureOf({ name }: Provider): Fixture {
  const fixture = fixtures[name];
  assert.ok(fixture, `the provider ${name} has no fixtures`);
  return fixture;
}

function encode(body: Fields): Buffer {
  return Buffer.from(JSON.stringify(body), 'utf8');
}

function translate(provider: Provider, body: Buffer): Translation {
  return provider.translate({ headers: {}, body }, account);
}

function getNotice(provider: Provider, body: Buffer) {
  const translation = translate(provider, body);
  assert.equal(translation.kind, 'notice', JSON.stringify(translation));
  return (translation as Extract<Translation, { kind: 'notice' }>).notice;
}

/** Neither of the two verbs throws, both say the same again, and what they say can be kept. */
function assertSound(provider: Provider, body: Buffer): void {
  const delivery: RawDelivery = { headers: {}, body };
  const translation = provider.translate(delivery, account);
  assert.deepEqual(provider.translate(delivery, account), translation);
  assert.equal(provider.findContentKey(delivery), provider.findContentKey(delivery));
  assertStorable(translation);
}

/**
 * Notices are kept as jsonb: they come back as they were, hold no text that PostgreSQL refuses and
 * no empty text, and every number is a whole one that is not negative.
 */
function assertStorable(value: object): void {
  assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
  for (const path of pathsOf(value)) {
    const leaf = path.reduce<unknown>((group, name) => (group as Fields)[name], value);
    if (typeof leaf === 'number') assert.ok(Number.isSafeInteger(leaf) && leaf >= 0, `${leaf}`);
    if (typeof leaf !== 'string') continue;
    assert.ok(leaf.isWellFormed() && !leaf.includes('\0'), JSON.stringify(leaf));
    assert.notEqual(leaf, '', path.join('.'));
  }
}

const personalEmail = 'asha@example.com';
const personalValues = {
  words: [personalEmail, 'asha@okbank'],
  phones: [{ full: '919876543210', number: '9876543210' }],
};
const personalTexts = [
  ...[personalEmail, 'asha@okbank', 9876543210, '+919876543210', 'Paid by ASHA@example.com.'],
  ...['asha\0@okbank', { email: personalEmail }, [personalEmail]],
];

function erase(provider: Provider, body: Buffer): Buffer {
  return provider.erasing.eraseBody(body, createScrub(personalValues));
}

/** Translating and erasing can be done in either order, and erasing twice is erasing once. */
function assertErasable(provider: Provider, body: Buffer): void {
  const scrub = createScrub(personalValues);
  const before = translate(provider, body);
  // What cannot be read is never stored.
  if (before.kind === 'unreadable') return;
  const erased = erase(provider, body);
  const expected =
    before.kind === 'notice'
      ? {
          ...before,
          notice: {
            ...before.notice,
            ...(before.notice.payment && { payment: eraseNotice(before.notice.payment, scrub) }),
            ...(before.notice.refund && { refund: eraseNotice(before.notice.refund, scrub) }),
          },
        }
      : before;
  assert.deepEqual(translate(provider, erased), expected);
  assert.deepEqual(translate(provider, erase(provider, erased)), expected);
  assert.deepEqual(provider.erasing.listPersonalValues(erased), { words: [], phones: [] });
}

/** A valid body in which up to three places hold something else, or nothing. */
function mutated(bodies: readonly Fields[], others: unknown[] = []): fc.Arbitrary<Fields> {
  const replacement = fc.oneof(
    ...(others.length === 0 ? [] : [fc.constantFrom(...others)]),
    fc.constant(undefined),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(
      'constructor',
      '__proto__',
      '',
      ' ',
      '\0',
      '\ud800',
      'é',
      [],
      {},
      null,
      0,
      -1,
      1e308,
      0.5,
      '1e3',
      '500.00',
    ),
  );
  return fc.constantFrom(...bodies).chain((body) => {
    const change = fc.tuple(fc.constantFrom(...pathsOf(body)), replacement);
    return fc
      .array(change, { minLength: 1, maxLength: 3 })
      .map((changes) =>
        changes.reduce((before, [path, value]) => replaceAt(before, path, value), body),
      );
  });
}

function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, entry]) => [name, reversed(entry)] as const);
  return Object.fromEntries(entries.toReversed());
}

/** Fields of another version of the provider, and names that mean something to JavaScript. */
function withStrangers(value: unknown, others: Fields = {}): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(
    ([name, entry]) => [name, withStrangers(entry, others)] as const,
  );
  const strangers = [
    ['zz_new', { a: [1] }],
    ['constructor', 'x'],
    ['__proto__', { id: 'x', status: 'x' }],
    ['toString', null],
  ] as const;
  return Object.fromEntries([...entries, ...strangers, ...Object.entries(others)]);
}
