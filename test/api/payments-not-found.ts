/** Payments that no page of a consumer shows: unknown, of another account, a refund, or not started here. */
import assert from 'node:assert/strict';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import type { Journey } from '../support/journey.ts';

export type PaymentNotFound = readonly [accountId: string, transactionId: string];

export async function makePaymentsNotFound({
  service,
  shop,
  openShop,
  createOrder,
  createPaid,
  initiate,
  refund,
}: Journey): Promise<PaymentNotFound[]> {
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
  return [
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
}
