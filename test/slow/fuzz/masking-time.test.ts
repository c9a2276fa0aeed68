import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskCardField, maskCardNumbers } from '../../../src/domain/cards/card-numbers.ts';

test('masking takes linear time for any digits, separators and escapes', () => {
  const size = 16 * 1024;
  const fill = (text: string, chars: number) =>
    text.repeat(Math.ceil(chars / text.length)).slice(0, chars);
  const parts = [
    '4',
    '4 ',
    '4111 1111 1111 1111 ',
    '0 4',
    '\\',
    '\\u0034',
    '\\\\u0034 ',
    '&#',
    '&#0',
    '&#52;',
    '&#x34;-',
    '&amp;',
    '&amp;#52;',
    '%',
    '%34',
    '%26%2352%3B',
    '%5Cu0034&#52;4',
  ];
  const texts: ((chars: number) => string)[] = [
    ...parts.map((part) => (chars: number) => fill(part, chars)),
    (chars) => `${fill('0', chars / 2)}${fill('4 ', chars / 2)}`,
    (chars) => `1${fill(' ', chars / 2)}1${fill(' ', chars / 2)}1`,
    (chars) => `&#${fill('0', chars)}`,
    (chars) => `${fill('4 ', chars)}%34\\u0034`,
  ];
  for (const text of texts) {
    const [small, large] = [text(size), text(4 * size)].map(leastCpu) as [number, number];
    // Four times the text: a quadratic algorithm takes sixteen times as long. A fifth of a second is too little to judge.
    assert.ok(large < 200_000 || large < 8 * small, `${text(20)}: ${small} µs, then ${large} µs`);
  }
});

/** Microseconds of the fastest of three runs: others use the machine too. */
function leastCpu(text: string): number {
  const times = [1, 2, 3].map(() => {
    const startedAt = process.cpuUsage();
    maskCardNumbers(text);
    maskCardField(text);
    const { user, system } = process.cpuUsage(startedAt);
    return user + system;
  });
  return Math.min(...times);
}
