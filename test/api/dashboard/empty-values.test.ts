/** A value that got lost on its way, null or empty, is refused where it would mean "all", "any" or "none". Contract 11.12, 13.1. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from '../../support/dashboard.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { addEndpoint } from '../../support/shop-endpoint.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const shop = await service.createAccount();
const { accountId, token } = shop;
const owner = await join(service, accountId, 'owner');
const { endpointId } = await addEndpoint(service, accountId, 'https://shop.example/events');
const created = await service.call('/api/v3/create-order', { token, body: orderBody() });
const orderId = created.body.order_id;
const payment = partnerPayment({ notes: { svc_order_id: orderId } });
await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
const [paid] = (await owner.get(`/orders/${orderId}`)).body.payments;
const { event_id: eventId } = (await owner.get('/events')).body.events[0];

const lost = [null, '', '  ', false, 0, [], {}];
const since = '2026-01-01T00:00:00Z';
const refund = { transaction_id: paid.transaction_id, refund_amount: '1', refunded_so_far: '0.00' };

const bodies: ReadonlyArray<
  readonly [method: 'POST' | 'PATCH', path: string, field: string, rest?: object]
> = [
  ['POST', `/orders/${orderId}/refunds`, 'refund_amount', refund],
  ['POST', `/orders/${orderId}/refunds`, 'transaction_id', refund],
  ['POST', `/orders/${orderId}/refunds`, 'refunded_so_far', refund],
  ['POST', '/events/resend', 'endpoint_id', { since }],
  ['POST', '/events/resend', 'since'],
  ['POST', `/events/${eventId}/resend`, 'endpoint_id'],
  ['PATCH', `/endpoints/${endpointId}`, 'url'],
  ['POST', '/review/resolve', 'id', { note: 'x' }],
  ['POST', '/settings/secrets/access-secret/rotate', 'value', { overlap_seconds: 0 }],
  ['POST', '/settings/secrets/partner-webhook-secret/rotate', 'value', { overlap_seconds: 0 }],
  ['PATCH', '/settings', 'name'],
];
for (const [method, path, field, rest] of bodies) {
  test(`${path} refuses every ${field} that is none, and nothing changes`, async () => {
    const before = await dump();
    for (const value of lost) {
      const headers = { 'idempotency-key': `lost ${field} ${JSON.stringify(value)}` };
      const reply = await owner.send(method, path, { ...rest, [field]: value }, headers);
      assert.ok([400, 404].includes(reply.status), `${JSON.stringify(value)}: ${reply.status}`);
    }
    assert.deepEqual(await dump(), before);
  });
}

const nested: ReadonlyArray<readonly [string, (value: unknown) => object]> = [
  ['a provider of a mode', (value) => ({ payment_modes: { upi: value } })],
  ['a secret of a provider', (value) => ({ providers: { 'partner-key-secret': value } })],
  ['an address of a provider', (value) => ({ providers: { 'partner-url': value } })],
  ['an origin', (value) => ({ callback_origins: [value] })],
];
for (const [what, bodyOf] of nested) {
  test(`the settings refuse ${what} that is none, and nothing changes`, async () => {
    const before = await dump();
    for (const value of ['', '  ', false, 0]) {
      const { status } = await owner.send('PATCH', '/settings', bodyOf(value));
      assert.equal(status, 400, JSON.stringify(value));
    }
    assert.deepEqual(await dump(), before);
  });
}

const filters = [
  'status',
  'flag',
  'from',
  'to',
  'currency',
  'amount_min',
  'amount_max',
  'payment_status',
  'refunded',
  'limit',
  'after',
].flatMap((name) => [`orders?${name}=`, `orders.csv?${name}=`]);
const queries = [...filters, 'inbox?state=', 'inbox?after=', 'events?order_id=', 'events?state='];
for (const query of [...queries, 'events?endpoint=', 'events?after=', 'audit?after=']) {
  test(`an empty ${query} lists nothing instead of everything`, async () => {
    for (const value of ['', '%20', 'null']) {
      const { status } = await owner.get(`/${query}${value}`);
      assert.ok([400, 404].includes(status), `${query}${value}: ${status}`);
    }
  });
}

/** Without what every request changes. */
async function dump() {
  const { sessions: _seen, ...tables } = await dumpTables(service.database);
  return tables;
}
