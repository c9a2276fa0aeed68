/** The published test vectors agree with our own code, and with the samples in every language that is installed. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifySignature } from '../../client/client.js';
import { getExponent } from '../../src/domain/money/currency.ts';
import { openPayload } from '../../src/security/sealed-payload.ts';
import { signTransaction } from '../../src/security/transaction-signature.ts';
import { languages, runSample, samplesDir } from '../support/samples.ts';

const { signatures, sealed } = JSON.parse(await readFile(join(samplesDir, 'vectors.json'), 'utf8'));

for (const { name, access_secret, version, invoice_id, transaction, ...expected } of signatures) {
  test(`the published signature "${name}" is ${expected.outcome} for the client`, async () => {
    const verifying = verifySignature(transaction, invoice_id, access_secret, version);
    if (expected.outcome === 'invalid') {
      await assert.rejects(verifying, { code: 'INVALID_SIGNATURE' });
    } else assert.equal(await verifying, expected.outcome);
    if (expected.outcome !== 'valid') return;
    const { transaction_amount, transaction_currency: currency, transaction_type } = transaction;
    const signed = {
      invoiceId: invoice_id,
      transactionId: transaction.svc_transaction_id,
      amount: Math.round(transaction_amount * 10 ** getExponent(currency)),
      currency,
      status: transaction.payment_status ?? transaction.refund_status,
      transactionType: transaction_type,
    };
    assert.equal(signTransaction(signed, version, access_secret), transaction.svc_signature);
  });
}

test('the published sealed payloads are opened or refused by the service as they say', () => {
  for (const { name, access_secret, hex, text } of sealed) {
    assert.equal(openPayload(hex, access_secret)?.toString('utf8') ?? null, text, name);
  }
});

for (const { name, skip, skipSealed, checkVectors } of languages) {
  test(`the sample in ${name} agrees with the published vectors`, { skip }, async (t) => {
    const output = await runSample([...checkVectors, 'vectors.json']);
    const count = skipSealed ? 'no .*' : sealed.length;
    assert.match(
      output,
      new RegExp(`^${signatures.length} signatures and ${count} sealed.* 0 wrong$`),
    );
    if (skipSealed) t.diagnostic(`sealed payloads are skipped: ${skipSealed}`);
  });
}
