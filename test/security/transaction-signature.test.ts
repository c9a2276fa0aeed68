import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { currencyCodes, getExponent } from '../../src/domain/money/currency.ts';
import {
  type SignedTransaction,
  signTransaction,
} from '../../src/security/transaction-signature.ts';

const accessSecret = 'access_secret_0123456789abcdef';
const payment: SignedTransaction = {
  invoiceId: 'INV-1',
  transactionId: 'o_A1b2C3d4E5f6G7h8-261114100000',
  amount: 11800,
  currency: 'INR',
  status: 'succeeded',
  transactionType: 'payment',
};

test('signatures match test vectors that another program computed', () => {
  assert.equal(
    signTransaction(payment, 'v2', accessSecret),
    '90e028afbe136f9b4d01a2ab71cf6e86ece9a6e5d09d0ba4a921000e2b100860',
  );
  assert.equal(
    signTransaction(payment, 'v3', accessSecret),
    '19a6e1ec989dbaf666daf67678f084cf1358dfa9638a3c9184a06f4af11174bf',
  );
});

/** A transaction and the texts that are signed for it. */
const cases: readonly (readonly [string, Partial<SignedTransaction>, string, string])[] = [
  [
    'rupees are signed with two decimals',
    { amount: 5 },
    'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|0.05|INR',
    '|succeeded|payment',
  ],
  [
    'yen are signed with two decimals',
    { amount: 500, currency: 'JPY' },
    'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|500.00|JPY',
    '|succeeded|payment',
  ],
  [
    'dinars are signed with three decimals',
    { amount: 1234, currency: 'KWD' },
    'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|1.234|KWD',
    '|succeeded|payment',
  ],
  [
    'a unit of account is signed with four decimals',
    { amount: 12345, currency: 'CLF' },
    'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|1.2345|CLF',
    '|succeeded|payment',
  ],
  [
    'an unknown currency is signed with two decimals',
    { amount: 11800, currency: 'ZZZ' },
    'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|118.00|ZZZ',
    '|succeeded|payment',
  ],
  [
    'an amount of zero is signed with its decimals',
    { amount: 0, currency: 'JPY' },
    'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|0.00|JPY',
    '|succeeded|payment',
  ],
  [
    'the status of a failed payment is signed in v3 only',
    { status: 'failed' },
    'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|118.00|INR',
    '|failed|payment',
  ],
  [
    'the type of a refund is signed in v3 only',
    { amount: 1800, transactionType: 'partial_refund' },
    'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|18.00|INR',
    '|succeeded|partial_refund',
  ],
  [
    'an invoice in any script is signed as UTF-8',
    { invoiceId: 'Räçhnung-₹-1' },
    'Räçhnung-₹-1|o_A1b2C3d4E5f6G7h8-261114100000|118.00|INR',
    '|succeeded|payment',
  ],
];

for (const [guarantee, changes, v2, more] of cases) {
  test(guarantee, async () => {
    const signed = { ...payment, ...changes };
    assert.equal(signTransaction(signed, 'v2', accessSecret), await hmac(accessSecret, v2));
    assert.equal(signTransaction(signed, 'v3', accessSecret), await hmac(accessSecret, v2 + more));
  });
}

test('the key is the whole secret, with its prefix', async () => {
  const text = 'INV-1|o_A1b2C3d4E5f6G7h8-261114100000|118.00|INR';
  const withoutPrefix = accessSecret.replace('access_secret_', '');
  const signature = signTransaction(payment, 'v2', accessSecret);
  assert.equal(signature, await hmac(accessSecret, text));
  assert.notEqual(signature, await hmac(withoutPrefix, text));
});

test('an amount is signed with the decimals of its currency, and at least two', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...currencyCodes),
      fc.integer({ min: 0, max: 10_000_000_000_000 }),
      async (currency, amount) => {
        const exponent = getExponent(currency);
        const whole = BigInt(amount) / 10n ** BigInt(exponent);
        const part = BigInt(amount) % 10n ** BigInt(exponent);
        const decimals = exponent === 0 ? '00' : String(part).padStart(exponent, '0');
        const text = `INV-1|${payment.transactionId}|${whole}.${decimals}|${currency}`;
        const signature = signTransaction({ ...payment, amount, currency }, 'v2', accessSecret);
        assert.equal(signature, await hmac(accessSecret, text));
      },
    ),
    { numRuns: 500 },
  );
});

test('every part that is signed changes the signature', () => {
  const changes: Partial<SignedTransaction>[] = [
    { invoiceId: 'INV-2' },
    { transactionId: 'o_A1b2C3d4E5f6G7h8-261114100001' },
    { amount: 11801 },
    { currency: 'USD' },
    { status: 'failed' },
    { transactionType: 'full_refund' },
  ];
  const all = [payment, ...changes.map((change) => ({ ...payment, ...change }))];
  const v3 = all.map((transaction) => signTransaction(transaction, 'v3', accessSecret));
  assert.equal(new Set(v3).size, all.length);
  const v2 = all.map((transaction) => signTransaction(transaction, 'v2', accessSecret));
  assert.equal(new Set(v2).size, all.length - 2);
});

/** By Web Crypto, which shares no code with the service. */
async function hmac(secret: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
  ]);
  return Buffer.from(await crypto.subtle.sign('HMAC', key, encoder.encode(text))).toString('hex');
}
