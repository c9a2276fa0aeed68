/** verifyWebhook accepts what the service and an independent implementation of the standard sign, and nothing else. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { UntrustedDataError, verifyWebhook } from '../../client/client.js';
import { newEndpointSecret, signEvent } from '../../src/security/event-signature.ts';
import { sealPayload } from '../../src/security/sealed-payload.ts';

const secret = newEndpointSecret();
const eventId = 'evt_1';
const event = { event_id: eventId, event_type: 'payment_success', message: 'चालान ₹118 ✓' };
const text = JSON.stringify(event);
const nowSeconds = () => Math.floor(Date.now() / 1000);

test('an event of the service is returned, from every kind of body and headers', async () => {
  const headers = signed(text);
  const requestHeaders: IncomingHttpHeaders = headers;
  const kinds = [
    requestHeaders,
    new Headers(headers),
    new Map(Object.entries(headers)),
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [upper(name), value])),
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  ];
  const padded = Buffer.from(`..${text}..`);
  const bodies = [
    text,
    Buffer.from(text),
    new TextEncoder().encode(text),
    // A part of a larger buffer, as Node's pool of small buffers makes it.
    padded.subarray(2, -2),
  ];
  for (const kind of kinds) {
    for (const body of bodies) {
      assert.deepEqual(await verifyWebhook({ headers: kind, body, secret }), event);
    }
  }
});

test('any body that an independent implementation signed is accepted', async () => {
  const anyBody = fc.oneof(
    anyText(),
    fc.constant(''),
    fc.dictionary(anyText(), fc.jsonValue()).map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(anyBody, anySecret(), fc.uuid(), async (body, own, id) => {
      const sentAt = new Date();
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
        'webhook-signature': new Webhook(own).sign(id, sentAt, body),
      };
      await assertAccepted(body, verifyWebhook({ headers, body, secret: own }));
      await assertAccepted(body, verifyWebhook({ headers, body: Buffer.from(body), secret: own }));
    }),
    { numRuns: 100 },
  );
});

test('what the service signs is accepted by both, and refused by both once it is changed', async () => {
  const changes = fc.record({ index: fc.nat(), bit: fc.integer({ min: 0, max: 6 }) });
  await fc.assert(
    fc.asyncProperty(anyText(), anySecret(), changes, async (value, own, change) => {
      const body = JSON.stringify({ value });
      const headers = signed(body, { secrets: [own] });
      assert.deepEqual(new Webhook(own).verify(body, headers), { value });
      assert.deepEqual(await verifyWebhook({ headers, body, secret: own }), { value });
      const changed = Buffer.from(body);
      const index = change.index % changed.length;
      changed[index] = (changed[index] ?? 0) ^ (1 << change.bit);
      assert.throws(() => new Webhook(own).verify(changed, headers));
      await assertRefused({ headers, body: changed, secret: own }, 'INVALID_SIGNATURE');
    }),
    { numRuns: 100 },
  );
});

test('the example of the standard is accepted', async () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  const accepted = await verifyWebhook({ headers, body, secret, toleranceSeconds: Infinity });
  assert.deepEqual(accepted, { test: 2432232314 });
});

test('during a rotation either secret is enough, and other versions are ignored', async () => {
  const [older, newer] = [newEndpointSecret(), newEndpointSecret()];
  const both = signed(text, { secrets: [older, newer] });
  for (const known of [older, newer, [older], [newEndpointSecret(), newer], `${newer}\n`]) {
    assert.deepEqual(await verifyWebhook({ headers: both, body: text, secret: known }), event);
  }
  const [, value = ''] = signed(text)['webhook-signature'].split(',');
  const withSignatures = (...signatures: string[]) => ({
    headers: { ...signed(text), 'webhook-signature': signatures.join(' ') },
    body: text,
    secret,
  });
  const known = withSignatures(`v1a,${value}`, 'v1,x', 'v1', `v2,${value}`, `v1,${value}`);
  assert.deepEqual(await verifyWebhook(known), event);
  for (const signatures of [
    [`v1a,${value}`],
    [`v2,${value}`],
    [value],
    [`v1,${value.slice(0, -1)}`],
    [`v1,${value}=`],
    ['v1,'],
    [signed(text, { secrets: [newer] })['webhook-signature']],
  ]) {
    await assertRefused(withSignatures(...signatures), 'INVALID_SIGNATURE');
  }
});

test('another id or time than the signed one is refused', async () => {
  const headers = signed(text);
  const later = String(nowSeconds() + 10);
  for (const change of [{ 'webhook-id': 'evt_2' }, { 'webhook-timestamp': later }]) {
    const changed = { ...headers, ...change };
    await assertRefused({ headers: changed, body: text, secret }, 'INVALID_SIGNATURE');
  }
});

test('a request without one of the headers is refused, and the error names it', async () => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
    const { [name]: _gone, ...others } = signed(text);
    for (const headers of [others, { ...others, [name]: '' }, new Headers(others)]) {
      const refusal = await assertRefused({ headers, body: text, secret }, 'MISSING_HEADER');
      assert.match(refusal.message, new RegExp(`^MISSING_HEADER: ${name} is missing: `));
    }
  }
});

test('a request is accepted within the tolerance, and refused when it is older or newer', async () => {
  const at = (seconds: number) => ({
    headers: signed(text, { timestamp: nowSeconds() + seconds }),
    body: text,
    secret,
  });
  for (const seconds of [-298, 0, 298]) assert.deepEqual(await verifyWebhook(at(seconds)), event);
  const tooOld = await assertRefused(at(-303), 'INVALID_TIMESTAMP');
  assert.match(tooOld.message, /the request is 30[34] s old: /);
  const tooNew = await assertRefused(at(303), 'INVALID_TIMESTAMP');
  assert.match(tooNew.message, /the request is 30[23] s in the future: .*clock/);
  assert.deepEqual(await verifyWebhook({ ...at(-303), toleranceSeconds: 600 }), event);
  await assertRefused({ ...at(-10), toleranceSeconds: 5 }, 'INVALID_TIMESTAMP');
  for (const timestamp of ['soon', '-1', '1e9', '1700000000.5', ' ', '9'.repeat(20)]) {
    const headers = { ...signed(text), 'webhook-timestamp': timestamp };
    await assertRefused({ headers, body: text, secret }, 'INVALID_TIMESTAMP');
  }
});

test('a mistake of the receiver is a TypeError that says what to do and shows no secret', async () => {
  const headers = signed(text);
  const key = 'bm90LXRvLWJlLXNob3du';
  const wrong: [options: object, message: RegExp][] = [
    [{ body: event }, /pass the raw body.*express\.raw/],
    [{ body: undefined }, /pass the raw body/],
    [{ secret: undefined }, /secret must be whsec_/],
    [{ secret: [] }, /secret must be whsec_/],
    [{ secret: '' }, /secret must be whsec_/],
    [{ secret: `access_secret_${key}` }, /secret must be whsec_/],
    [{ secret: secret.slice('whsec_'.length) }, /secret must be whsec_/],
    [{ secret: `whsec_${key}` }, /secret must be whsec_/],
    [{ secret: 'whsec_' }, /secret must be whsec_/],
    [{ secret: `whsec_${'?'.repeat(44)}` }, /secret must be whsec_/],
    [{ secret: secret.slice(0, -1) }, /secret must be whsec_/],
    [{ secret: [secret, undefined] }, /secret must be whsec_/],
    [{ headers: undefined }, /headers is missing/],
    [{ toleranceSeconds: Number.NaN }, /toleranceSeconds must be/],
    [{ toleranceSeconds: -1 }, /toleranceSeconds must be/],
    [{ toleranceSeconds: '300' }, /toleranceSeconds must be/],
  ];
  for (const [options, message] of wrong) {
    const given = { headers, body: text, secret, ...options } as never;
    await assert.rejects(verifyWebhook(given), (error: Error) => {
      assert.equal(error.name, 'TypeError');
      assert.match(error.message, message);
      assert.ok(!error.message.includes(key));
      return true;
    });
  }
});

test('an encrypted event is opened after its signature is checked', async () => {
  const accessSecret = 'access_secret_of_the_test';
  const sealed = JSON.stringify({
    encrypted_response: sealPayload(text, accessSecret),
    sub_merchant_id: 'acc_1',
  });
  const options = { headers: signed(sealed), body: sealed, secret };
  assert.deepEqual(await verifyWebhook({ ...options, accessSecret }), event);
  const both = ['access_secret_other', accessSecret];
  assert.deepEqual(await verifyWebhook({ ...options, accessSecret: both }), event);
  await assertRefused({ ...options, accessSecret: 'access_secret_other' }, 'INVALID_EVENT');
  await assert.rejects(verifyWebhook(options), { name: 'TypeError', message: /^accessSecret is/ });
  const forged = { ...options, headers: signed(text), accessSecret };
  await assertRefused(forged, 'INVALID_SIGNATURE');
  // A receiver may pass the access secret before the account encrypts its payloads.
  const plain = { headers: signed(text), body: text, secret, accessSecret };
  assert.deepEqual(await verifyWebhook(plain), event);
});

test('a signed body that is no event is refused', async () => {
  for (const body of ['', 'null', '5', '"text"', '{"event_id":']) {
    await assertRefused({ headers: signed(body), body, secret }, 'INVALID_EVENT');
  }
});

type Options = Parameters<typeof verifyWebhook>[0];

async function assertRefused(options: Options, code: string): Promise<UntrustedDataError> {
  const error = await verifyWebhook(options).then(
    () => assert.fail('the request was accepted'),
    (thrown) => thrown,
  );
  assert.ok(error instanceof UntrustedDataError, String(error));
  assert.equal(error.code, code);
  return error;
}

/** What is no JSON object is signed rightly, too, but is no event. */
async function assertAccepted(body: string, verifying: Promise<unknown>): Promise<void> {
  const isObject = body.startsWith('{') && body.endsWith('}') && isJson(body);
  if (isObject) assert.deepEqual(await verifying, JSON.parse(body));
  else await assert.rejects(verifying, { code: 'INVALID_EVENT' });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Of code points with one to four bytes; the unit `binary` of fast-check takes a second to prepare. */
function anyText() {
  const codePoint = fc.oneof(
    fc.nat(0x7f),
    fc.nat(0xd7ff),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  );
  return fc.array(codePoint).map((codePoints) => String.fromCodePoint(...codePoints));
}

/** The lengths that the standard allows. */
function anySecret() {
  const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 });
  return bytes.map((key) => `whsec_${Buffer.from(key).toString('base64')}`);
}

function signed(body: string, { secrets = [secret], timestamp = nowSeconds() } = {}) {
  return {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signEvent({ eventId, timestamp, body: Buffer.from(body) }, secrets),
  };
}

/** `Webhook-Id`, as some servers write it. */
function upper(name: string): string {
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
