import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { startJourney } from '../../support/journey.ts';
import { visit } from '../../support/returns.ts';

const { service, shop, openShop, createOrder, createPaid, initiate, refund } = await startJourney();

test('what was not started here is unknown, whoever it belongs to', async () => {
  const stranger = await openShop();
  const orderId = await createOrder();
  const started = (await initiate(orderId)).body.transaction_id;
  const paid = await createPaid();
  const refunded = (await refund({ transaction_id: paid.transactionId })).body.transaction_id;
  const elsewhere = await createOrder();
  const payment = partnerPayment({ status: 'authorized', notes: { svc_order_id: elsewhere } });
  await sendPartner(service, shop, partnerEvent('payment.authorized', { payment }));
  const { rows } = await service.database.query<{ transaction_id: string }>({
    text: 'select transaction_id from transactions where order_id = $1',
    values: [elsewhere],
  });
  assert.equal(rows.length, 1);
  const unknown: [accountId: string, transactionId: string][] = [
    [stranger.accountId, started],
    ['acc_0000000000000000', started],
    ['account', started],
    [shop.accountId, `${orderId}-260101000000`],
    [shop.accountId, orderId],
    [shop.accountId, "' or 1=1 --"],
    [shop.accountId, 'x'.repeat(1000)],
    [shop.accountId, refunded],
    [shop.accountId, rows[0]?.transaction_id ?? ''],
  ];
  for (const [accountId, transactionId] of unknown) {
    const path = `/pay/${accountId}/${encodeURIComponent(transactionId)}/return`;
    const { status, text, headers } = await visit(`${service.baseUrl}${path}`);
    assert.equal(status, 404, transactionId);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(text, /There is no such payment/);
    assert.doesNotMatch(text, /<form|<script|<a /);
  }
});

test('the page supports GET and POST only', async () => {
  const { transaction_id } = (await initiate(await createOrder())).body;
  const path = `/pay/${shop.accountId}/${transaction_id}/return`;
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const reply = await service.call(path, { method });
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get('allow'), 'GET, HEAD, POST');
  }
});
