/** An erased body has the same meaning as before and contains no personal data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eraseFields } from '../../../src/domain/consumers/erase.ts';
import { createScrub } from '../../../src/domain/consumers/scrub.ts';
import { maskPersonal } from '../../../src/providers/erase.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { replaceAt } from '../deliveries.ts';
import { encode, mutated, translate, withStrangers } from './bodies.ts';
import { type Body, type ProviderFixture, runs } from './fixture.ts';

export function testErasing(provider: Provider, fixture: ProviderFixture): void {
  const is = (guarantee: string) => `${provider.name}: ${guarantee}`;
  for (const toBytes of [
    encode,
    ...fixture.otherForms.map((toForm) => (some: Body) => Buffer.from(toForm(some))),
  ]) {
    test(is('an erased body has the same meaning, without personal data'), () => {
      fc.assert(
        fc.property(mutated(fixture.bodies, personalTexts), (arbitrary) => {
          assertErasable(provider, toBytes(arbitrary));
        }),
        runs,
      );
    });

    test(is('an erased body has no unknown field and no personal text'), () => {
      for (const valid of fixture.bodies) {
        const strange = withStrangers(valid, { email: personalEmail, [personalEmail]: 1 });
        const erased = erase(provider, toBytes(strange as Body)).toString('utf8');
        assert.doesNotMatch(decodeURIComponent(erased), /asha|98765|zz_new/);
        for (const path of fixture.textPaths) {
          const withPersonalText = replaceAt(valid, path, `by ${personalEmail}, +91 98765 43210.`);
          const text = erase(provider, toBytes(withPersonalText)).toString('utf8');
          assert.doesNotMatch(decodeURIComponent(text), /asha|98765/, path.join('.'));
        }
      }
    });

    test(is('a masked body has the same kind of meaning, and no personal text'), () => {
      for (const valid of fixture.bodies) {
        const body = toBytes(withStrangers(valid, { email: personalEmail }) as Body);
        const masked = provider.erasing.eraseBody(body, createScrub(personalValues), maskPersonal);
        assert.doesNotMatch(decodeURIComponent(masked.toString('utf8')), /asha@|98765|zz_new/);
        assert.equal(translate(provider, masked).kind, translate(provider, body).kind);
      }
    });
  }
}

const personalEmail = 'asha@example.com';
const personalValues = {
  words: [personalEmail, 'asha@okbank'],
  phones: [{ full: '919876543210', number: '9876543210' }],
};
const personalTexts = [
  personalEmail,
  'asha@okbank',
  9876543210,
  '+919876543210',
  'Paid by ASHA@example.com.',
  ...['asha\0@okbank', { email: personalEmail }, [personalEmail]],
];

function erase(provider: Provider, body: Buffer): Buffer {
  return provider.erasing.eraseBody(body, createScrub(personalValues));
}

/** Translating and erasing commute, and erasing is idempotent. */
function assertErasable(provider: Provider, body: Buffer): void {
  const scrub = createScrub(personalValues);
  const before = translate(provider, body);
  // A body that cannot be read is never stored.
  if (before.kind === 'unreadable') return;
  const erased = erase(provider, body);
  const expected =
    before.kind === 'notice'
      ? {
          ...before,
          notice: {
            ...before.notice,
            ...(before.notice.payment && { payment: eraseFields(before.notice.payment, scrub) }),
            ...(before.notice.refund && { refund: eraseFields(before.notice.refund, scrub) }),
          },
        }
      : before;
  assert.deepEqual(translate(provider, erased), expected);
  assert.deepEqual(translate(provider, erase(provider, erased)), expected);
  assert.deepEqual(provider.erasing.listPersonalValues(erased), { words: [], phones: [] });
}
