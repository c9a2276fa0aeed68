import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../client/client.js';
import { accountLimits } from '../../src/domain/accounts/limits.ts';
import { paymentLimits } from '../../src/domain/payments/limits.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { settleOrder } from '../../src/use-cases/order-state/save-order-state.ts';
import {
  assertInvariants,
  type CreatedOrder,
  captureOf,
  gatewayPaymentOf,
  type Shop,
  shopOf,
} from '../api/webhooks/shop.ts';
import { assertAllAnnounced, listBodies } from '../support/announced.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../support/deliveries.ts';
import { assertVerifiable } from '../support/plugin-signature.ts';
import { refuseRows } from '../support/refuse-rows.ts';
import { addEndpoint, startShopEndpoint } from '../support/shop-endpoint.ts';
import { type Reply, startTestService } from '../support/test-service.ts';

const service = await startTestService();
const { services, database } = service;

/** A shop whose endpoint is never sent to: what matters is what is stored. */
async function openToldShop(
  events: readonly string[] = [],
  settings: Parameters<typeof service.createAccount>[0] = {},
): Promise<Shop> {
  const account = await service.createAccount(settings);
  await addEndpoint(service, account.accountId, 'http://127.0.0.1:9/events', events);
  return shopOf(service, account);
}

async function bodiesOf({ account }: Shop, order: CreatedOrder): Promise<Reply['body'][]> {
  const bodies = await listBodies(database, account);
  return bodies
    .filter(({ svc_order_id }) => svc_order_id === order.order_id)
    .sort((a, b) => a.sequence - b.sequence);
}

async function typesOf(shop: Shop, order: CreatedOrder): Promise<string[][]> {
  const bodies = await bodiesOf(shop, order);
  return bodies.map(({ event_type, status, message }) =>
    event_type === 'review_needed' ? [event_type, status, message] : [event_type, status],
  );
}

describe('what is announced', () => {
  test('each result of a payment, of its order and of its refunds, in their order', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
    const refund = partnerRefund(payment);
    await shop.sendPartner(partnerEvent('payment.failed', { payment }));
    await shop.sendPartner(partnerEvent('payment.authorized', { payment }));
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    await shop.sendPartner(
      partnerEvent('refund.created', { refund: { ...refund, status: 'pending' } }),
    );
    await shop.sendPartner(partnerEvent('refund.processed', { refund }));
    assert.deepEqual(await typesOf(shop, order), [
      ['payment_failed', 'failed'],
      ['payment_authorized', 'authorized'],
      ['payment_success', 'succeeded'],
      ['order_completed', 'completed'],
      ['refund_pending', 'pending'],
      ['refund_success', 'succeeded'],
    ]);
  });

  test('a repeated delivery, and one that changes nothing, announce nothing', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    const body = captureOf(order);
    await shop.sendPartner(body, { eventId: 'told1' });
    const before = await typesOf(shop, order);
    await shop.sendPartner(body, { eventId: 'told1' });
    await shop.sendPartner(body);
    assert.deepEqual(await typesOf(shop, order), before);
  });

  test('a new flag, on the transaction that has it', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    await shop.sendPartner(captureOf(order, { amount: 1 }));
    const [, review] = await bodiesOf(shop, order);
    assert.deepEqual(
      [review.event_type, review.message, review.svc_transaction_id, review.status],
      ['review_needed', 'amount_mismatch', review.transaction.svc_transaction_id, 'succeeded'],
    );
  });

  test('an order that lapses by the passing of time', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    await database.query({
      text: 'update orders set lapses_at = created_at where order_id = $1',
      values: [order.order_id],
    });
    await settleOrder(services, shop.account.accountId, order.order_id);
    assert.deepEqual(await typesOf(shop, order), [['order_lapsed', 'lapsed']]);
  });

  test('that an order lapsed before a late payment, although the sweep had not saved it', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    await database.query({
      text: 'update orders set lapses_at = created_at where order_id = $1',
      values: [order.order_id],
    });
    await shop.sendPartner(captureOf(order));
    const bodies = await bodiesOf(shop, order);
    assert.deepEqual(
      bodies.map((body) => [body.sequence, body.event_type, body.status, body.order.status]),
      [
        [1, 'order_lapsed', 'lapsed', 'lapsed'],
        [2, 'payment_success', 'succeeded', 'completed'],
        [3, 'order_completed', 'completed', 'completed'],
      ],
    );
  });

  test('a delivery that was parked, when its order is created', async () => {
    const shop = await openToldShop();
    const payment = partnerPayment({ notes: { invoice_id: 'TOLD-LATE' } });
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    const order = await shop.createOrder({ invoice_id: 'TOLD-LATE' });
    assert.deepEqual(await typesOf(shop, order), [
      ['payment_success', 'succeeded'],
      ['order_completed', 'completed'],
    ]);
  });

  test('only the types that an endpoint wants are stored and numbered', async () => {
    const shop = await openToldShop(['order_completed']);
    const order = await shop.createOrder();
    await shop.sendPartner(captureOf(order));
    const bodies = await bodiesOf(shop, order);
    assert.deepEqual(
      bodies.map(({ event_type, sequence }) => [event_type, sequence]),
      [['order_completed', 1]],
    );
  });

  test('nothing for an account without an endpoint, or with a disabled one', async () => {
    const shop = shopOf(service, await service.createAccount());
    const order = await shop.createOrder();
    await shop.sendPartner(captureOf(order));
    assert.deepEqual(await listBodies(database, shop.account), []);

    const disabled = await openToldShop();
    await database.query({
      text: `update endpoints set disabled_reason = 'test' where account_id = $1`,
      values: [disabled.account.accountId],
    });
    await services.accounts.readAgain(disabled.account.accountId);
    // The directory reads an account again at most once a second.
    await database.query({
      text: 'update accounts set revision = revision + 1 where account_id = $1',
      values: [disabled.account.accountId],
    });
    await new Promise((resolve) => setTimeout(resolve, accountLimits.secretsCacheMsMax));
    await disabled.sendPartner(captureOf(await disabled.createOrder()));
    assert.deepEqual(await listBodies(database, disabled.account), []);
  });
});

describe('when it is written', () => {
  test('a change that is rolled back is not announced, and is announced once when it is made', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    const repair = await refuseRows(database, 'events', `order_id <> '${order.order_id}'`);
    const reply = await shop.sendPartner(captureOf(order));
    assert.equal(reply.status, 200);
    assert.deepEqual(await bodiesOf(shop, order), []);
    assert.equal((await shop.enquire({ order_id: order.order_id })).body.order.status, 'new');
    await repair();
    const again = await shop.sendPartner(captureOf(order));
    assert.equal(again.status, 200);
    const statuses = (await typesOf(shop, order)).filter(([type]) => type === 'order_completed');
    assert.equal(statuses.length, 1);
  });

  test('fifty deliveries at once give numbers without a gap', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    const bodies = Array.from({ length: 25 }, () => captureOf(order));
    await Promise.all(
      [...bodies, ...bodies].map(async (body) =>
        assert.equal((await shop.sendPartner(body)).status, 200),
      ),
    );
    const enquiry = await shop.enquire({ order_id: order.order_id });
    assertAllAnnounced(enquiry.body, await listBodies(database, shop.account));
    const { rows } = await database.query({
      text: `select event_sequence = (select count(*) from events e where e.order_id = o.order_id) as is_right
               from orders o where order_id = $1`,
      values: [order.order_id],
    });
    assert.deepEqual(rows, [{ is_right: true }]);
  });

  test('an event of a large order shows the same as the enquiry', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    for (let count = 0; count <= paymentLimits.transactionsLoadedMax + 2; count += 1) {
      await shop.sendPartner(captureOf(order));
    }
    const enquiry = (await shop.enquire({ order_id: order.order_id })).body;
    const last = (await bodiesOf(shop, order)).at(-1);
    const { currency: _c, amount_before_tax: _b, tax: _t, total_amount: _a, ...shown } = last.order;
    assert.deepEqual(shown, enquiry.order);
    assertAllAnnounced(enquiry, await listBodies(database, shop.account));
  });
});

describe('the body', () => {
  test('is the enquiry with its aliases, and receivers of the reference product accept it', async () => {
    const shop = await openToldShop();
    const order = await shop.createOrder();
    await shop.sendPartner(captureOf(order));
    const [event] = await bodiesOf(shop, order);
    const { transaction: elements, order: shown } = (
      await shop.enquire({ order_id: order.order_id })
    ).body;
    const [element] = elements;
    assert.deepEqual(event, {
      version: 'v3',
      event_id: event.event_id,
      event_type: 'payment_success',
      sequence: 1,
      occurred_at: event.occurred_at,
      status: 'succeeded',
      event_status: 'success',
      message: 'The payment succeeded.',
      svc_order_id: order.order_id,
      svc_transaction_id: element.svc_transaction_id,
      svc_signature: element.svc_signature,
      is_webhook: true,
      transaction: {
        ...element,
        transaction_id: element.svc_transaction_id,
        signature: element.svc_signature,
        status: 'succeeded',
      },
      order: { ...shown, currency: 'INR', amount_before_tax: 100, tax: 18, total_amount: 118 },
      user: event.user,
    });
    assert.match(event.event_id, /^evt_[0-9A-Za-z]{32}-1$/);
    assert.equal(new Date(event.occurred_at).toISOString(), event.occurred_at);
    assert.equal(event.user.email, 'asha@example.com');
    assertVerifiable(event, shop.account.accessSecret);
    const forged = { ...event, transaction: { ...event.transaction, status: 'failed' } };
    assert.throws(() => assertVerifiable(forged, shop.account.accessSecret));
  });

  test('of a refund has no status of a payment, and is verified by its own amount and currency', async () => {
    for (const signatureVersion of ['v3', 'v2'] as const) {
      const shop = await openToldShop([], { signatureVersion });
      const order = await shop.createOrder();
      const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
      const refund = partnerRefund(payment, { amount: 1850 });
      await shop.sendPartner(partnerEvent('payment.captured', { payment }));
      await shop.sendPartner(partnerEvent('refund.processed', { refund }));
      const event = (await bodiesOf(shop, order)).at(-1);
      const { transaction: elements } = (await shop.enquire({ order_id: order.order_id })).body;
      const [, element] = elements;
      assert.deepEqual([event.event_type, event.status], ['refund_success', 'succeeded']);
      assert.deepEqual(event.transaction, {
        ...element,
        transaction_id: element.svc_transaction_id,
        signature: element.svc_signature,
        refund_amount: 18.5,
      });
      assert.equal(event.transaction.refund_status, 'succeeded');
      assert.equal(event.order.refund_details.refundable_currency, 'INR');
      assertVerifiable(event, shop.account.accessSecret);
    }
  });

  test('of a refund can be verified before its payment is known, and in another currency', async () => {
    const shop = await openToldShop();
    const early = await shop.createOrder();
    const paid = partnerPayment({ notes: { svc_order_id: early.order_id } });
    const notes = { svc_order_id: early.order_id };
    const pending = partnerRefund(paid, { notes, status: 'pending' });
    await shop.sendPartner(partnerEvent('refund.created', { refund: pending }));
    const [first] = await bodiesOf(shop, early);
    assert.deepEqual(
      [first.event_type, first.transaction.refund_amount, first.order.refund_details],
      ['refund_pending', 118, detailsOf('INR', { refunded: 0 })],
    );
    const { order: shown } = (await shop.enquire({ order_id: early.order_id })).body;
    assert.deepEqual(shown.refund_details, first.order.refund_details);

    const foreign = await shop.createOrder();
    const payment = partnerPayment({
      notes: { svc_order_id: foreign.order_id },
      currency: 'KWD',
      amount: 11800,
    });
    const refund = partnerRefund(payment, { currency: 'KWD', amount: 1234 });
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    await shop.sendPartner(partnerEvent('refund.processed', { refund }));
    const last = (await bodiesOf(shop, foreign)).at(-1);
    assert.deepEqual(
      [last.event_type, last.transaction.refund_amount, last.order.refund_details],
      ['refund_success', 1.234, detailsOf('KWD', { total: 11.8, refunded: 1.234 })],
    );
    for (const event of [first, last]) assertVerifiable(event, shop.account.accessSecret);
  });

  test('states the outcome in three words for plugins, and never a success that should not be delivered', async () => {
    const shop = await openToldShop();
    const wordsOf = async (order: CreatedOrder) =>
      (await bodiesOf(shop, order)).map(({ event_type, event_status }) => [
        event_type,
        event_status,
      ]);
    const order = await shop.createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
    const refund = partnerRefund(payment);
    await shop.sendPartner(partnerEvent('payment.failed', { payment }));
    await shop.sendPartner(partnerEvent('payment.authorized', { payment }));
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    const created = { refund: { ...refund, status: 'pending' } };
    await shop.sendPartner(partnerEvent('refund.created', created));
    await shop.sendPartner(
      partnerEvent('refund.failed', { refund: { ...refund, status: 'failed' } }),
    );
    assert.deepEqual(await wordsOf(order), [
      ['payment_failed', 'failed'],
      ['payment_authorized', 'pending'],
      ['payment_success', 'success'],
      ['order_completed', 'success'],
      ['refund_pending', 'pending'],
      ['refund_failed', 'failed'],
    ]);

    const short = await shop.createOrder();
    await shop.sendPartner(captureOf(short, { amount: 1 }));
    assert.deepEqual(await wordsOf(short), [
      ['payment_success', 'pending'],
      ['review_needed', 'pending'],
    ]);

    const released = await shop.createOrder();
    const gone = { status: 'refunded', captured: false, refund_status: 'full' };
    const notes = { svc_order_id: released.order_id };
    await shop.sendPartner(
      partnerEvent('payment.authorized', { payment: partnerPayment({ notes, ...gone }) }),
    );
    assert.deepEqual((await wordsOf(released)).slice(0, 1), [['payment_reversed', 'failed']]);
  });

  test('is signed in every status by v3, and in final ones by v2', async () => {
    for (const [version, isSigned] of [
      ['v3', true],
      ['v2', false],
    ] as const) {
      const shop = await openToldShop([], { signatureVersion: version });
      const order = await shop.createOrder();
      await shop.sendGateway(
        gatewayPaymentOf(order, {
          order: { status: 'AUTHORIZED' },
          transaction: { type: 'AUTHORIZATION' },
        }),
      );
      const [event] = await bodiesOf(shop, order);
      assert.equal(event.event_type, 'payment_authorized');
      assert.equal(event.transaction.signature !== null, isSigned, version);
    }
  });

  test('is sealed for an account with encrypted payloads, and the client opens it', async () => {
    const account = await service.createAccount({ encryptedPayloads: true });
    const receiver = await startShopEndpoint();
    const endpoint = await addEndpoint(service, account.accountId, receiver.url);
    const shop = shopOf(service, account);
    const deliveries = createEventDeliveries(services);
    const order = await shop.createOrder();
    await shop.sendPartner(captureOf(order));
    await deliveries.startDue();
    await receiver.waitFor(2);
    await deliveries.stop();
    for (const { headers, text, body } of receiver.received) {
      assert.deepEqual(Object.keys(body), ['encrypted_response', 'sub_merchant_id']);
      assert.equal(body.sub_merchant_id, account.accountId);
      assert.ok(!text.includes('asha'));
      new Webhook(endpoint.secret).verify(text, headers as Record<string, string>);
      const { accessSecret } = account;
      const event = await verifyWebhook({
        headers,
        body: text,
        secret: endpoint.secret,
        accessSecret,
      });
      assert.equal(event.svc_order_id, order.order_id);
    }
  });
});

test('the invariants hold after all of this', async () => {
  // As if the endpoints had been there long before their orders.
  await database.query({ text: `update endpoints set complete_since = '2020-01-01'` });
  await assertInvariants({ service });
});

/** The sums of an order in major units. */
function detailsOf(
  currency: string,
  { total = 0, refunded }: { total?: number; refunded: number },
) {
  return {
    refundable_currency: currency,
    available_refundable_amount: Math.max(0, total - refunded),
    refunded_amount: refunded,
    total_refundable_amount: total,
  };
}
