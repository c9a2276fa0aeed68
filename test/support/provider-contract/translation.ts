/** A translation never throws, depends on the body alone, and can be stored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Provider, RawDelivery } from '../../../src/providers/provider.ts';
import { pathsOf, replaceAt } from '../deliveries.ts';
import {
  account,
  encode,
  getNotice,
  mutated,
  reversed,
  translate,
  withStrangers,
} from './bodies.ts';
import { type Body, type ProviderFixture, runs } from './fixture.ts';

export function testTranslation(provider: Provider, fixture: ProviderFixture): void {
  const is = (guarantee: string) => `${provider.name}: ${guarantee}`;
  const [body] = fixture.bodies as [Body];

  test(is('equal bodies give equal notices, whatever the order of their fields'), () => {
    for (const valid of fixture.bodies) {
      const notice = getNotice(provider, encode(valid));
      assert.deepEqual(getNotice(provider, encode(structuredClone(valid))), notice);
      assert.deepEqual(getNotice(provider, encode(reversed(valid) as Body)), notice);
    }
  });

  test(is('unknown fields change nothing'), () => {
    for (const valid of fixture.bodies) {
      const notice = getNotice(provider, encode(valid));
      assert.deepEqual(getNotice(provider, encode(withStrangers(valid) as Body)), notice);
    }
  });

  test(
    is(
      'a body without ids or without its event is unreadable, and the reason names the missing field',
    ),
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

  test(is('a body that is not an object is unreadable'), () => {
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
}

export function testArbitraryBodies(provider: Provider, fixture: ProviderFixture): void {
  const is = (guarantee: string) => `${provider.name}: ${guarantee}`;

  test(is('translating arbitrary bytes never throws and is deterministic'), () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (arbitrary) => {
        assertSound(provider, Buffer.from(arbitrary));
      }),
      runs,
    );
  });

  test(is('translating arbitrary JSON never throws and is deterministic'), () => {
    fc.assert(
      fc.property(fc.json(), (arbitrary) => assertSound(provider, Buffer.from(arbitrary))),
      runs,
    );
  });

  test(
    is('valid bodies with arbitrary values anywhere never throw and give storable results'),
    () => {
      fc.assert(
        fc.property(mutated(fixture.bodies), (arbitrary) => {
          assertSound(provider, encode(arbitrary));
        }),
        runs,
      );
    },
  );

  for (const toForm of fixture.otherForms) {
    test(is('the same holds for such bodies in the other encoding'), () => {
      fc.assert(
        fc.property(mutated(fixture.bodies), (arbitrary) => {
          assertSound(provider, Buffer.from(toForm(arbitrary)));
        }),
        runs,
      );
    });
  }
}

/** Neither function throws, both are deterministic, and the result can be stored. */
function assertSound(provider: Provider, body: Buffer): void {
  const delivery: RawDelivery = { headers: {}, body };
  const translation = provider.translate(delivery, account);
  assert.deepEqual(provider.translate(delivery, account), translation);
  assert.equal(provider.findContentKey(delivery), provider.findContentKey(delivery));
  assertStorable(translation);
}

/**
 * Notices are stored as JSON: they are read back unchanged, contain no empty text and no text that PostgreSQL refuses,
 * and every number is a non-negative integer.
 */
function assertStorable(value: object): void {
  assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
  for (const path of pathsOf(value)) {
    const leaf = path.reduce<unknown>((group, name) => (group as Body)[name], value);
    if (typeof leaf === 'number') assert.ok(Number.isSafeInteger(leaf) && leaf >= 0, `${leaf}`);
    if (typeof leaf !== 'string') continue;
    assert.ok(leaf.isWellFormed() && !leaf.includes('\0'), JSON.stringify(leaf));
    assert.notEqual(leaf, '', path.join('.'));
  }
}
