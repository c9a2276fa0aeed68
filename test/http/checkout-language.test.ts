/** The languages of the consumer's pages: which one is chosen, and that each is complete. Contract 14.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountText,
  chooseLanguage,
  languages,
  timeText,
} from '../../src/http/checkout/language.ts';

const accepted: [header: string | undefined, language: string][] = [
  [undefined, 'en'],
  ['', 'en'],
  ['hi', 'hi'],
  ['hi-IN,hi;q=0.9,en;q=0.8', 'hi'],
  ['en-GB,hi;q=0.9', 'en'],
  ['hi;q=0.2, en;q=0.3', 'en'],
  ['fr-FR, hi;q=0.1', 'hi'],
  ['ta-IN', 'en'],
  ['*', 'en'],
  ['hi;q=0', 'en'],
  ['hi;q=wrong', 'en'],
  ['constructor', 'en'],
];
for (const [header, language] of accepted) {
  test(`Accept-Language ${JSON.stringify(header)} gets ${language}`, () => {
    const headers = header === undefined ? {} : { 'accept-language': header };
    assert.equal(chooseLanguage({ headers }), language);
  });
}

test('the language that the consumer switched to comes first', () => {
  const headers = { 'accept-language': 'en', cookie: 'a=b; language=hi' };
  assert.equal(chooseLanguage({ headers }), 'hi');
  assert.equal(chooseLanguage({ headers: { ...headers, cookie: 'language=xx' } }), 'en');
});

test('every language says everything, and Hindi says it in Devanagari', () => {
  const { en, hi } = languages;
  const texts = { en: textsOf(en), hi: textsOf(hi) };
  assert.deepEqual([...texts.hi.keys()].sort(), [...texts.en.keys()].sort());
  for (const [name, text] of texts.en) assert.ok(text.trim() !== '', name);
  const isSameInBoth = ['locale', 'choose.modes.upi'];
  for (const [name, text] of texts.hi) {
    if (!isSameInBoth.includes(name)) assert.match(text, /\p{Script=Devanagari}/u, name);
  }
});

test('amounts are exact in every currency and language', () => {
  const { en, hi } = languages;
  assert.equal(amountText(en, 11_800, 'INR'), '₹118.00');
  assert.equal(amountText(en, 12_345_678_90, 'INR'), '₹1,23,45,678.90');
  assert.equal(amountText(hi, 12_345_678_90, 'INR'), '₹1,23,45,678.90');
  assert.equal(amountText(en, 1_234, 'JPY'), 'JP¥1,234');
  assert.equal(amountText(en, 1_234, 'KWD').replace(/\s/, ' '), 'KWD 1.234');
  assert.equal(amountText(en, 9_007_199_254_740_991, 'INR'), '₹9,00,71,99,25,47,409.91');
});

test('times are shown in the language, with their time zone', () => {
  const time = new Date('2026-11-16T10:30:00Z');
  assert.match(timeText(languages.en, time), /16 November 2026.*10:30\s?am UTC/i);
  assert.match(timeText(languages.hi, time), /16 नवंबर 2026.*UTC/);
});

/** Every text by its path; functions are called with a mark. */
function textsOf(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[path, value]]);
  if (typeof value === 'function') {
    const text = String(value('@', '@'));
    assert.ok(text.includes('@'), `${path} ignores what it is given`);
    return new Map([[path, text]]);
  }
  const entries = Object.entries(value as Record<string, unknown>);
  return new Map(
    entries.flatMap(([name, part]) => [...textsOf(part, path === '' ? name : `${path}.${name}`)]),
  );
}
