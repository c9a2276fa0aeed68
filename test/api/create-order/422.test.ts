/** An order that must be paid from a bank account, at an account that cannot check it. Contract 3.14. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { checkingAccounts, type TestSettings } from '../../support/test-account.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const bank_account = { account_number: '50100123456789', name: 'Asha Rao', ifsc: 'HDFC0009876' };
const checked = /net_banking, upi, debit_card at Razorpay in INR/;

const settings: [name: string, settings: TestSettings][] = [
  ['without a provider', {}],
  ['with other modes at the partner', { ...checkingAccounts, paymentModes: { wallet: 'partner' } }],
  [
    'with debit cards at the bank gateway only',
    {
      paymentModes: { debit_card: 'bank-gateway' },
      providerApis: { 'bank-gateway': { url: 'http://127.0.0.1:9', login: 'TESTMERCHANT' } },
      apiSecrets: { 'bank-gateway-password': 'password' },
    },
  ],
];
for (const [name, given] of settings) {
  test(`an account ${name} creates no order with a bank account, nor a link to one`, async () => {
    const { token } = await service.createAccount(given);
    const before = await dumpTables(service.database);
    for (const path of ['create-order', 'payment-link']) {
      const body = orderBody({ bank_account });
      assertRefused(await service.call(`/api/v3/${path}`, { token, body }), notAllowed, checked);
    }
    assert.deepEqual(await dumpTables(service.database), before);
    const body = orderBody();
    assert.equal((await service.call('/api/v3/create-order', { token, body })).status, 200);
  });
}

test('one mode that checks the account is enough', async () => {
  for (const mode of ['net_banking', 'upi', 'debit_card'] as const) {
    const paymentModes = { [mode]: 'partner' };
    const { token } = await service.createAccount({ ...checkingAccounts, paymentModes });
    const body = orderBody({ bank_account });
    assert.equal((await service.call('/api/v3/create-order', { token, body })).status, 200, mode);
  }
});

test('an order in another currency is refused, unless it is converted to rupees', async () => {
  const { token } = await service.createAccount(checkingAccounts);
  const body = orderBody({ bank_account, currency: 'USD' });
  assertRefused(await service.call('/api/v3/create-order', { token, body }), notAllowed, checked);
  const alternateCurrencies = [{ from: 'USD', to: 'INR', rate: '83.25' }];
  const converting = await service.createAccount({ ...checkingAccounts, alternateCurrencies });
  const call = { token: converting.token, body };
  assert.equal((await service.call('/api/v3/create-order', call)).status, 200);
});

test('a repeat gets its order, also when the account offers no such mode any more', async () => {
  const { token, accountId } = await service.createAccount(checkingAccounts);
  const body = orderBody({ bank_account });
  const first = await service.call('/api/v3/create-order', { token, body });
  await updateAccount(service.services, accountId, () => ({ paymentModes: {} }), commandLine);
  const again = await service.call('/api/v3/create-order', { token, body });
  assert.deepEqual([again.status, again.body.order_id], [200, first.body.order_id]);
  const other = { ...body, description: 'Other' };
  const refused = await service.call('/api/v3/create-order', { token, body: other });
  assertRefused(refused, 'DUPLICATE_INVOICE_ID', 'other content');
});

const notAllowed = 'PAYMENT_MODE_NOT_ALLOWED';
