/** Text of any characters, as fast-check makes it, without the seconds that its own unit takes to be set up. */
import fc from 'fast-check';

const surrogatesFrom = 0xd800;
const surrogatesCount = 0x800;

/** Every character but halves of one; the way back lets fast-check try names such as `__proto__`, and shrink. */
const characters = fc
  .integer({ min: 0, max: 0x10ffff - surrogatesCount })
  .map(
    (place) => String.fromCodePoint(place < surrogatesFrom ? place : place + surrogatesCount),
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
