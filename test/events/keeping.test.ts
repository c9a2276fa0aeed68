import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { accountLimits } from '../../src/domain/accounts/limits.ts';
import { commandLine } from '../../src/domain/audit.ts';
import { openPayload } from '../../src/security/sealed-payload.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { deleteEndpoint } from '../../src/use-cases/events/endpoints.ts';
import { resendEvents } from '../../src/use-cases/events/resend-events.ts';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { assertInvariants, captureOf, type Shop, shopOf } from '../api/webhooks/shop.ts';
import { partnerEvent, partnerPayment } from '../support/deliveries.ts';
import { eraseIn, findSpellings, meera, personalOrder, upiId } from '../support/erasure.ts';
import { prune } from '../support/prune.ts';
import {
  addEndpoint,
  answerStatus,
  type ShopEndpoint,
  startShopEndpoint,
} from '../support/shop-endpoint.ts';
import { checkingAccounts } from '../support/test-account.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const daySeconds = 24 * 60 * 60;

async function openToldShop(
  service: TestService,
  url: string,
  settings: Parameters<TestService['createAccount']>[0] = {},
): Promise<Shop> {
  const account = await service.createAccount({ ...checkingAccounts, ...settings });
  await addEndpoint(service, account.accountId, url);
  await service.database.query({ text: `update endpoints set complete_since = '2020-01-01'` });
  return shopOf(service, account);
}

/** Sends what is due, once. */
async function sendDue({ services }: TestService, receiver: ShopEndpoint, count: number) {
  const deliveries = createEventDeliveries(services);
  await deliveries.startDue();
  await receiver.waitFor(count);
  await deliveries.stop();
}

test('bodies of delivered events are pruned by age, those of others stay, and verify still passes', async () => {
  const service = await startTestService();
  const receiver = await startShopEndpoint();
  const shop = await openToldShop(service, receiver.url);
  const { services, database } = service;
  const order = await shop.createOrder();
  await shop.sendPartner(captureOf(order));
  await sendDue(service, receiver, 2);
  receiver.answer = answerStatus(500);
  await shop.sendPartner(captureOf(await shop.createOrder()));
  await sendDue(service, receiver, 4);
  const countBodies = async () => {
    const { rows } = await database.query({
      text: `select state, count(body)::integer as bodies, count(*)::integer as events,
                    (select count(*)::integer from event_attempts a where a.order_id = e.order_id) as attempts
               from events e group by state, order_id order by state`,
    });
    return rows;
  };
  service.advanceSeconds(29 * daySeconds);
  await prune(services);
  assert.deepEqual(await countBodies(), [
    { state: 'delivered', bodies: 2, events: 2, attempts: 2 },
    { state: 'pending', bodies: 2, events: 2, attempts: 2 },
  ]);
  service.advanceSeconds(2 * daySeconds);
  await prune({ ...services, settings: { ...services.settings, eventDays: 0 } });
  assert.equal((await countBodies())[0]?.bodies, 2, '0 means never');
  await prune(services);
  assert.deepEqual(await countBodies(), [
    { state: 'delivered', bodies: 0, events: 2, attempts: 0 },
    { state: 'pending', bodies: 2, events: 2, attempts: 2 },
  ]);
  const name = { accountId: shop.account.accountId, orderId: order.order_id, sequence: 1 };
  assert.deepEqual(await resendEvents(services, { event: name }, undefined, commandLine), {
    resent: 0,
    pruned: 1,
  });
  await assertInvariants({ service });
});

test('each endpoint has its own body of an event, and a deleted one keeps none for ever', async () => {
  const service = await startTestService();
  const receiver = await startShopEndpoint();
  const shop = await openToldShop(service, receiver.url);
  const { services, database } = service;
  const { accountId } = shop.account;
  const refusing = await startShopEndpoint();
  refusing.answer = answerStatus(500);
  const { endpointId } = await addEndpoint(service, accountId, refusing.url);
  // An account is read again at most once in this time, and it was for the first endpoint.
  await delay(accountLimits.secretsCacheMsMax);
  await shop.sendPartner(captureOf(await shop.createOrder()));
  await sendDue(service, receiver, 2);
  const bodiesOf = async (states: string) => {
    const { rows } = await database.query<{ bodies: number; events: number }>({
      text: `select count(body)::integer as bodies, count(*)::integer as events
               from events where state = any (string_to_array($1, ','))`,
      values: [states],
    });
    return rows[0];
  };
  service.advanceSeconds(31 * daySeconds);
  await prune(services);
  assert.deepEqual(await bodiesOf('delivered'), { bodies: 0, events: 2 });
  assert.deepEqual(await bodiesOf('pending'), { bodies: 2, events: 2 });
  await assertInvariants({ service });

  await deleteEndpoint(services, endpointId, commandLine);
  assert.deepEqual(await bodiesOf('dropped'), { bodies: 0, events: 2 });
  // Stored by a process that had not heard of the deletion yet.
  await database.query({
    text: `update events set state = 'pending', body = 'late', next_attempt_at = now()
            where endpoint_id = $1`,
    values: [endpointId],
  });
  await prune(services);
  assert.deepEqual(await bodiesOf('dropped'), { bodies: 0, events: 2 });
  await assertInvariants({ service });
});

test('erasing a consumer leaves nothing of them in events, and what waits is still sent', async () => {
  const service = await startTestService();
  const receiver = await startShopEndpoint();
  const shop = await openToldShop(service, receiver.url);
  const delivered = await payPersonal(shop, 'ERASED-1');
  await sendDue(service, receiver, 2);
  receiver.answer = (reply, { text }) => reply.writeHead(500).end(text);
  const waiting = await payPersonal(shop, 'ERASED-2');
  await sendDue(service, receiver, 4);
  assert.notDeepEqual(await findSpellings(service.database), []);

  await eraseIn(service, shop.account.accountId, ['--email', meera.email]);
  assert.deepEqual(await findSpellings(service.database), []);
  const { rows } = await service.database.query<{ order_id: string; body: Buffer | null }>({
    text: 'select order_id, body from events order by order_id, sequence',
  });
  const bodiesOf = ({ order_id }: { order_id: string }) =>
    rows.filter((row) => row.order_id === order_id).map(({ body }) => body);
  assert.deepEqual(bodiesOf(delivered), [null, null]);
  const [payment] = bodiesOf(waiting).map((body) => JSON.parse(String(body)));
  assert.deepEqual([payment.event_type, payment.user], ['payment_success', null]);
  assert.equal(payment.transaction.transaction_amount, 118);

  receiver.answer = (reply) => reply.end();
  service.advanceSeconds(60);
  receiver.clear();
  await sendDue(service, receiver, 2);
  assert.ok(!receiver.received.some(({ text }) => /meera|98123/i.test(text)));
  await assertInvariants({ service });
});

test('a sealed event that waits is erased too, and stays sealed', async () => {
  const service = await startTestService();
  const shop = await openToldShop(service, 'http://127.0.0.1:9/', { encryptedPayloads: true });
  const { accountId, accessSecret } = shop.account;
  await payPersonal(shop, 'ERASED-SEALED');
  await eraseIn(service, accountId, ['--email', meera.email]);
  const { rows } = await service.database.query<{ body: Buffer }>({
    text: 'select body from events',
  });
  assert.equal(rows.length, 2);
  for (const { body } of rows) {
    const opened = openPayload(JSON.parse(String(body)).encrypted_response, accessSecret);
    const payload = JSON.parse(String(opened));
    assert.equal(payload.user, null);
    assert.doesNotMatch(String(opened), /meera|98123/i);
  }
});

test('verify finds a gap, a missing event and a status that was not announced', async () => {
  const service = await startTestService();
  const { services, database } = service;
  const shop = await openToldShop(service, 'http://127.0.0.1:9/');
  const orders = [];
  for (let count = 0; count < 4; count += 1) {
    const order = await shop.createOrder();
    await shop.sendPartner(captureOf(order));
    orders.push(order.order_id);
  }
  await assertInvariants({ service });
  const [gap, missing, untold, removed] = orders;
  const run = (text: string, orderId: string | undefined) =>
    database.query({ text, values: [orderId] });
  await run('update events set sequence = 9 where sequence = 2 and order_id = $1', gap);
  await run('delete from events where sequence = 2 and order_id = $1', missing);
  await run(`update events set status = 'failed' where sequence = 1 and order_id = $1`, untold);
  await run(
    `update events set transaction_id = 'o_0-1' where sequence = 1 and order_id = $1`,
    removed,
  );
  const { breaches } = await verifyInvariants(services);
  assert.ok(breaches.every(({ invariant }) => invariant.startsWith('the events of an order')));
  const texts = breaches.map(({ where, what }) => `${where.split('-')[0]} ${what}`).sort();
  assert.deepEqual(
    texts,
    [
      `${gap} counts 2 events and has 1, 9`,
      `${missing} counts 2 events and has 1`,
      `${untold} is succeeded, and failed was announced`,
      `${removed} is succeeded, and nothing was announced`,
      'o_0 is removed, and succeeded was announced',
    ].sort(),
  );
});

/** An order of a consumer with all kinds of personal data, paid by UPI. */
async function payPersonal(shop: Shop, invoice_id: string) {
  const order = await shop.createOrder({ ...personalOrder, invoice_id });
  const payment = partnerPayment({
    notes: { svc_order_id: order.order_id },
    method: 'upi',
    vpa: upiId,
    card: null,
    email: meera.email,
    contact: '+919812345670',
  });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  return order;
}
