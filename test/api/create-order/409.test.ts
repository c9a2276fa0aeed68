import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { fullOrderBody, orderBody } from '../../support/order-bodies.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { dumpTables } from '../../support/test-database.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount(checkingAccounts);

const otherContents: [string, Record<string, unknown>][] = [
  ['total', { amount_before_tax: 101, total_amount: 119, validate_order_line_item: undefined }],
  ['split of the total', { amount_before_tax: 99, tax: 19, validate_order_line_item: undefined }],
  ['currency', { currency: 'USD' }],
  ['consumer', { user: { email: 'b@example.com', first_name: 'B', mobile_number: 98765 } }],
  ['address', { shipping_address: { city: 'Pune' } }],
  ['billing address', { billing_address: undefined }],
  ['cart', { order_line_items: [{ title: 'Rice', rate: 100, quantity: 1, tax: 18 }] }],
  ['bank account', { bank_account: { account_number: '1', ifsc: 'SBIN0001234' } }],
  ['custom attributes', { custom_attributes: { campaign: 'holi', gift: 'yes' } }],
  ['callback URL', { callback_url: 'https://elsewhere.example' }],
  ['description', { description: 'Something else' }],
  ['IP address', { ip_address: '203.0.113.8' }],
];
test('the same invoice with other content is refused, whatever differs, and changes nothing', async () => {
  const body = fullOrderBody();
  assert.equal((await create(body)).status, 200);
  const before = await dumpTables(service.database);
  for (const [name, changes] of otherContents) {
    const reply = await create({ ...body, ...changes });
    assert.equal(reply.status, 409, `other ${name}: ${JSON.stringify(reply.body)}`);
    assertRefused(reply, 'DUPLICATE_INVOICE_ID', String(body.invoice_id));
    assert.equal(reply.headers.get('idempotent-replayed'), null);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a number and its text are one invoice_id', async () => {
  assert.equal((await create(orderBody({ invoice_id: 4711 }))).status, 200);
  const reply = await create(orderBody({ invoice_id: '4711', description: 'other' }));
  assertRefused(reply, 'DUPLICATE_INVOICE_ID', '4711');
});

/** Last in this file: it moves the clock. */
test('the invoice of a lapsed order is taken for ever, even with the same content', async () => {
  const body = orderBody();
  assert.equal((await create(body)).status, 200);
  service.advanceSeconds(24 * 3600 - 60);
  assert.equal((await create(body, await freshToken())).status, 200);
  service.advanceSeconds(60);
  const before = await dumpTables(service.database);

  const reply = await create(body, await freshToken());
  assertRefused(reply, 'DUPLICATE_INVOICE_ID', 'lapsed');
  assert.deepEqual(await dumpTables(service.database), before);
});

function create(body: Record<string, unknown>, token = account.token): Promise<Reply> {
  return service.call('/api/v3/create-order', { token, body });
}

async function freshToken(): Promise<string> {
  const { accountId } = account;
  return (await issueMerchantToken(service.services, accountId)).token;
}
