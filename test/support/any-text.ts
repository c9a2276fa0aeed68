/** Random text of any characters. fast-check's own unit for this takes seconds to set up. */
import fc from 'fast-check';

const surrogatesFrom = 0xd800;
const surrogatesCount = 0x800;

/**
 * Every character except lone surrogates. The inverse mapping lets fast-check shrink, and try names such as
 * `__proto__`.
 */
const characters = fc
  .integer({ min: 0, max: 0x10ffff - surrogatesCount })
  .map(
    (code) => String.fromCodePoint(code < surrogatesFrom ? code : code + surrogatesCount),
    placeOf,
  );

export function anyText(length: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...length, unit: characters });
}

function placeOf(value: unknown): number {
  const [character = '', ...others] = String(value);
  const code = character.codePointAt(0);
  if (code === undefined || others.length > 0 || !character.isWellFormed()) {
    throw new Error('not one character');
  }
  return code < surrogatesFrom ? code : code - surrogatesCount;
}
