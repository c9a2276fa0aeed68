/** Seeded randomness: a result depends on the seed and a label, never on the order of calls. */
import { createHash } from 'node:crypto';

/** Returns numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function randomOf(seed: number, label: string): Random {
  return randomFrom(digestOf(seed, label).readUInt32BE());
}

/** An id in the provider's format. It is derived from the label, so another run never reuses it for something else. */
export function idOf(seed: number, label: string, length: number): string {
  return lettersOf(seed, label, length, base62);
}

export function digitsOf(seed: number, label: string, length: number): string {
  return lettersOf(seed, label, length, '0123456789');
}

export function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}

/** A choice of weight 2 is picked twice as often as one of weight 1. */
export function pickWeighted<T>(random: Random, choices: readonly (readonly [T, number])[]): T {
  const total = choices.reduce((sum, [, weight]) => sum + weight, 0);
  let left = random() * total;
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  throw new Error('there is nothing to pick from');
}

function lettersOf(seed: number, label: string, length: number, alphabet: string): string {
  const bytes = digestOf(seed, label).subarray(0, length);
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
}

function digestOf(seed: number, label: string): Buffer {
  return createHash('sha256').update(`${seed}:${label}`).digest();
}

/** Mulberry32, Tommy Ettinger's generator with 32 bits of state; not suitable for secrets. */
export function randomFrom(start: number): Random {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
