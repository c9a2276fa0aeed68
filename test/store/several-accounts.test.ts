/**
 * Requests of several accounts at the same time share their statements on one server. Each account still sees and changes
 * what is its own, although both use the same invoices and the same ids of the provider. Contract 10.4.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { issueMerchantToken } from '../support/merchant-token.ts';
import { orderBody } from '../support/order-bodies.ts';
import { startTestService } from '../support/test-service.ts';

const service = await startTestService();
const shops = await Promise.all(
  [100, 200, 300].map(async (price) => {
    const account = await service.createAccount();
    const { token } = await issueMerchantToken(service.services, account.accountId);
    return { ...account, token, price };
  }),
);
type Shop = (typeof shops)[number];
const numbers = Array.from({ length: 12 }, (_one, index) => index);

/** For every shop and number, all at the same time; the shops take turns. */
const forEach = <Result>(send: (shop: Shop, number: number) => Promise<Result>) =>
  Promise.all(
    numbers.flatMap((number) =>
      shops.map(async (shop) => ({ shop, number, result: await send(shop, number) })),
    ),
  );

const invoiceOf = (number: number) => `SHARED-${number}`;
const amountOf = ({ price }: Shop, number: number) => price + number;

/** The same payment id in every account. */
function paymentOf(shop: Shop, number: number) {
  const body = partnerPayment({
    id: `pay_shared${number}`,
    amount: 100 * amountOf(shop, number),
    order_id: null,
    notes: { invoice_id: invoiceOf(number) },
  });
  return sendPartner(service, shop, partnerEvent('payment.captured', { payment: body }));
}

const enquire = ({ token }: Shop, number: number) =>
  service.call('/api/v3/transaction-enquiry', { token, body: { invoice_id: invoiceOf(number) } });

test('deliveries are parked for the account they came to', async () => {
  for (const { result } of await forEach(paymentOf)) assert.equal(result.body.status, 'parked');
});

test('each order gets the amounts and the parked payment of its own account', async () => {
  const created = await forEach((shop, number) =>
    service.call('/api/v3/create-order', {
      token: shop.token,
      body: orderBody({
        invoice_id: invoiceOf(number),
        amount_before_tax: amountOf(shop, number),
        tax: 0,
        total_amount: amountOf(shop, number),
      }),
    }),
  );
  for (const { result } of created) assert.equal(result.status, 200, JSON.stringify(result.body));
  const ids = new Set(created.map(({ result }) => result.body.order_id));
  assert.equal(ids.size, created.length);
  for (const { shop, number, result } of await forEach(enquire)) {
    const [payment, ...others] = result.body.transaction;
    assert.equal(others.length, 0);
    assert.equal(payment.transaction_amount, amountOf(shop, number));
    assert.equal(payment.psp_transaction_id, `pay_shared${number}`);
    assert.equal(result.body.order.status, 'completed');
    const own = created.find((one) => one.shop === shop && one.number === number);
    assert.equal(result.body.order.svc_order_id, own?.result.body.order_id);
  }
});

test('repeats are recognised in their own account', async () => {
  for (const { result } of await forEach(paymentOf))
    assert.notEqual(result.body.status, 'parked', JSON.stringify(result.body));
});

test('a refund of one account changes no other', async () => {
  const [first, ...others] = shops;
  assert.ok(first);
  const refund = (number: number) => ({
    id: `rfnd_shared${number}`,
    payment_id: `pay_shared${number}`,
    amount: 100,
    currency: 'INR',
    status: 'processed',
    created_at: Math.floor(Date.now() / 1_000),
  });
  await forEach(async (shop, number) =>
    shop === first
      ? sendPartner(service, shop, partnerEvent('refund.processed', { refund: refund(number) }))
      : enquire(shop, number),
  );
  for (const { shop, result } of await forEach(enquire)) {
    assert.equal(result.body.order.refund_details.refunded_amount, shop === first ? 1 : 0);
  }
  assert.equal(others.length, 2);
});

test('the invariants hold', async () => {
  const { breaches } = await verifyInvariants(service.services);
  assert.deepEqual(breaches, []);
});
