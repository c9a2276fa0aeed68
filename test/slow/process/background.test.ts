import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServices } from '../../../src/process/create-services.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  sendPartner,
} from '../../support/deliveries.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { refuseRows } from '../../support/refuse-rows.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { answerWith, startStubGateway } from '../../support/stub-gateway.ts';
import { sweepNow } from '../../support/sweep-now.ts';
import { createTestAccount } from '../../support/test-account.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const { database, url } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});
const account = await createTestAccount(services, { name: 'Background' });
const { token } = await issueMerchantToken(services, account.accountId);
const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex, PROVIDER_POLL_SECONDS: '1' };
let service = await startServiceProcess(env);

test('a delivery that could not be applied is applied by the background without a request', async () => {
  const { order_id } = await createOrder();
  const mend = await refuseRows(database, 'transactions');
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  const { status, body } = await sendPartner(
    service,
    account,
    partnerEvent('payment.captured', { payment }),
  );
  assert.deepEqual([status, body.status], [200, 'parked']);
  assert.equal(await stateOf(body.delivery_id), 'received');
  await mend();
  await waitUntil('it is applied', async () => (await stateOf(body.delivery_id)) === 'processed');
  assert.equal(await statusOf(order_id), 'completed');
});

test('the sweep lapses an overdue order and adds a history row', async () => {
  const { order_id } = await createOrder();
  await database.query({
    text: `update orders set lapses_at = now() where order_id = '${order_id}'`,
  });
  await sweepNow(database);
  await waitUntil('it is lapsed', async () => (await savedStatusOf(order_id)) === 'lapsed');
  const { rows } = await database.query<{ cause: string }>({
    text: `select cause from history where order_id = '${order_id}'`,
  });
  assert.deepEqual(rows, [{ cause: 'time' }]);
});

test('a poll that was claimed by a service that is killed is made by the next one', async () => {
  let isHanging = true;
  const gateway = await startStubGateway((orderId, response) => {
    if (isHanging) return;
    const record = gatewayBody({ order: { id: orderId } });
    answerWith(response, 200, { id: orderId, currency: 'INR', transaction: [record] });
  });
  const shop = await createTestAccount(services, { name: 'Polled', ...gateway.settings });
  const own = await issueMerchantToken(services, shop.accountId);
  const { order_id } = await createOrder(own.token);
  const payment = { order_id, payment_mode_code: 'credit_card' };
  await service.call('/api/v3/initiate-payment', { token: own.token, body: payment });
  await waitUntil('the provider is polled', () => gateway.polled.length > 0);
  await service.end('SIGKILL');
  isHanging = false;
  service = await startServiceProcess(env);
  await waitUntil('it is paid', async () => (await savedStatusOf(order_id)) === 'completed');
});

async function createOrder(as = token): Promise<{ order_id: string }> {
  const { body } = await service.call('/api/v3/create-order', {
    token: as,
    body: orderBody(),
  });
  return body;
}

async function statusOf(order_id: string): Promise<string> {
  const { body } = await service.call('/api/v3/transaction-enquiry', { token, body: { order_id } });
  return body.order.status;
}

async function stateOf(deliveryId: string): Promise<string | undefined> {
  const { rows } = await database.query<{ state: string }>({
    text: `select state from deliveries where delivery_id = '${deliveryId}'`,
  });
  return rows[0]?.state;
}

async function savedStatusOf(orderId: string): Promise<string | undefined> {
  const { rows } = await database.query<{ status: string }>({
    text: `select status from orders where order_id = '${orderId}'`,
  });
  return rows[0]?.status;
}
