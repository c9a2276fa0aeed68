import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraseFields } from '../../../src/domain/consumers/erase.ts';
import { createScrub } from '../../../src/domain/consumers/scrub.ts';
import { foldPayment } from '../../support/folded.ts';

const scrub = createScrub({ words: ['meera.nair@example.org'], phones: [] });
const ours = 'upi://pay?pa=teashop@okbank&tr=R1&am=118.00&cu=INR&tn=Order%20INV-1';

test('an intent that names the merchant and the order stays as it is', () => {
  assert.equal(erasedIntent(ours), ours);
});

test('an intent into which a provider wrote something about the consumer loses it', () => {
  const about = `${ours}%20meera.nair%40example.org`;
  assert.equal(erasedIntent(about), `${ours}%20[erased]`);
});

function erasedIntent(intentUrl: string): string | undefined {
  const start = { atMs: 0, amount: 11_800, currency: 'INR', call: 'taken', intentUrl } as const;
  const payment = { transactionId: 'o_1-261114100000', provider: 'partner', start, notices: [] };
  const folded = foldPayment(payment, { total: 11_800, currency: 'INR' });
  return eraseFields(folded, scrub).start?.intentUrl;
}
