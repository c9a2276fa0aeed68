/** Valid and mutated bodies for the provider contract tests, and their translations. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Translation } from '../../../src/domain/inbox/translation.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { pathsOf, replaceAt } from '../deliveries.ts';
import type { Body } from './fixture.ts';

export const account = { expectedMerchant: 'TESTMERCHANT' };

export function encode(body: Body): Buffer {
  return Buffer.from(JSON.stringify(body), 'utf8');
}

export function translate(provider: Provider, body: Buffer): Translation {
  return provider.translate({ headers: {}, body }, account);
}

export function getNotice(provider: Provider, body: Buffer) {
  const translation = translate(provider, body);
  assert.equal(translation.kind, 'notice', JSON.stringify(translation));
  return (translation as Extract<Translation, { kind: 'notice' }>).notice;
}

/** A valid body in which up to three fields are replaced or removed. */
export function mutated(bodies: readonly Body[], others: unknown[] = []): fc.Arbitrary<Body> {
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
      // Cut at a fixed length from either end, it is cut in the middle of a character.
      'x🍵🍵🍵🍵x',
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

export function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, entry]) => [name, reversed(entry)] as const);
  return Object.fromEntries(entries.toReversed());
}

/** Adds unknown fields, as of another version of the provider, and names that are special in JavaScript. */
export function withStrangers(value: unknown, others: Body = {}): unknown {
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
