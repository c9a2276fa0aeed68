import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Transaction, UntrustedDataError, verifySignature } from '../../client/client.js';
import { currencyCodes, getExponent } from '../../src/domain/money/currency.ts';
import { paymentStatuses } from '../../src/domain/payments/notice.ts';
import { isFinal } from '../../src/domain/payments/transaction.ts';
import { signTransaction } from '../../src/security/transaction-signature.ts';

const secret = 'access_secret_of_the_test';
const versions = ['v2', 'v3'] as const;

test('signatures of every currency and version are valid, and invalid as the other version', async () => {
  for (const currency of currencyCodes) {
    for (const version of versions) {
      const transaction = signed({ currency, version });
      assert.equal(await verifySignature(transaction, 'INV-1', secret, version), 'valid', currency);
      const other = version === 'v2' ? 'v3' : 'v2';
      await assertInvalid(transaction, other);
    }
  }
});

test('during a rotation either secret may have signed', async () => {
  const transaction = signed({});
  const secrets = ['access_secret_other', secret];
  assert.equal(await verifySignature(transaction, 'INV-1', secrets), 'valid');
  await assert.rejects(verifySignature(transaction, 'INV-1', ['access_secret_other']));
});

test('a transaction without a signature is unsigned while its status is not final, else invalid', async () => {
  for (const version of versions) {
    for (const payment_status of paymentStatuses) {
      const transaction = { ...signed({ version }), payment_status, svc_signature: null };
      if (isFinal(payment_status)) await assertInvalid(transaction, version);
      else {
        assert.equal(await verifySignature(transaction, 'INV-1', secret, version), 'unsigned');
      }
    }
  }
});

test('without an amount a failure is unsigned, and a success is never accepted', async () => {
  const transaction = { ...signed({}), svc_signature: null, transaction_amount: null };
  const failed = { ...transaction, payment_status: 'failed' } as const;
  assert.equal(await verifySignature(failed, 'INV-1', secret), 'unsigned');
  await assertInvalid(transaction);
  // A refund whose status is not final, but with the status of a payment in the same entry.
  await assertInvalid({
    ...transaction,
    transaction_type: 'full_refund',
    refund_status: 'pending',
  });
});

test('no field of a reply can hide another', async () => {
  const failed = signed({ status: 'failed' });
  assert.equal(await verifySignature(failed, 'INV-1', secret), 'valid');
  const forged: Transaction = {
    ...failed,
    signature_version: 'v2',
    transaction_currency: 'INR|failed|payment',
    payment_status: 'succeeded',
  };
  for (const version of versions) await assertInvalid(forged, version);
});

async function assertInvalid(transaction: Transaction, version: 'v2' | 'v3' = 'v3') {
  const verifying = verifySignature(transaction, 'INV-1', secret, version);
  await assert.rejects(verifying, (error) => {
    assert.ok(error instanceof UntrustedDataError);
    assert.equal(error.code, 'INVALID_SIGNATURE');
    return true;
  });
}

function signed({
  currency = 'INR',
  status = 'succeeded',
  version = 'v3' as 'v2' | 'v3',
}): Transaction {
  const amount = 123_456_789;
  const fields = {
    invoiceId: 'INV-1',
    transactionId: 'o_1-1',
    transactionType: 'payment',
    amount,
    currency,
    status,
  };
  return {
    svc_transaction_id: 'o_1-1',
    transaction_amount: amount / 10 ** getExponent(currency),
    transaction_currency: currency,
    payment_status: status,
    refund_status: null,
    transaction_type: 'payment',
    signature_version: version,
    svc_signature: signTransaction(fields, version, secret),
  } as Transaction;
}
