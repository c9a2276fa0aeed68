/** Capture and Void on the dashboard and the command line. Contract 16.8. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommandHere } from '../../support/command-here.ts';
import { join } from '../../support/dashboard.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';
import { openHeldShop } from './held-shop.ts';

const shop = await openHeldShop();
const { service, account } = shop;
const operator = await join(service, account.accountId, 'operator');
const viewer = await join(service, account.accountId, 'viewer');

const send = (orderId: string, kind: string, body: object, key: string) =>
  operator.send('POST', `/orders/${orderId}/${kind}s`, body, { 'idempotency-key': key });
const paymentOf = async (orderId: string) =>
  (await operator.get(`/orders/${orderId}`)).body.payments[0];

test('the order page shows what is reserved, and a double click captures it once', async () => {
  const { orderId, transactionId } = await shop.hold('gateway');
  const { authorization } = await paymentOf(orderId);
  const { expires_at, ...others } = authorization;
  assert.ok(Date.parse(expires_at) > service.services.clock().getTime());
  assert.deepEqual(others, {
    left_amount: '118.00',
    takes_parts: true,
    can_capture: true,
    can_void: true,
    operations_total: 0,
  });
  const before = shop.made.length;
  const body = { transaction_id: transactionId, amount: '40.00', note: 'first parcel' };
  const replies = await Promise.all([1, 2, 3].map(() => send(orderId, 'capture', body, 'click')));
  for (const reply of replies) assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(shop.made.length, before + 1);
  const after = await paymentOf(orderId);
  assert.equal(after.authorization.left_amount, '78.00');
  assert.deepEqual(
    after.operations.map(({ kind, amount, status }: Record<string, string>) => [
      kind,
      amount,
      status,
    ]),
    [['capture', '40.00', 'succeeded']],
  );
  const { rows } = await service.database.query({
    text: `select action, object, note from audit where account_id = $1 and action like 'capture%'`,
    values: [account.accountId],
  });
  assert.deepEqual(rows, [
    {
      action: 'capture.requested',
      object: replies[0]?.body.transaction_id,
      note: 'first parcel',
    },
  ]);
});

test('a void asks for nothing but the payment, and ends what can be done', async () => {
  const { orderId, transactionId } = await shop.hold('partner');
  const reply = await send(orderId, 'void', { transaction_id: transactionId }, 'void');
  assert.equal(reply.body.status, 'pending');
  const { authorization } = await paymentOf(orderId);
  assert.equal(authorization.can_capture, false);
  assert.equal(authorization.can_void, false);
});

test('viewers, other orders and calls without a key change nothing', async () => {
  const { orderId, transactionId } = await shop.hold('gateway');
  const other = await shop.hold('gateway');
  const before = shop.calls.length;
  const body = { transaction_id: transactionId };
  const path = `/orders/${orderId}/captures`;
  assert.equal((await viewer.send('POST', path, body, { 'idempotency-key': 'v' })).status, 403);
  assert.equal((await operator.post(path, body)).status, 400);
  assert.equal((await send(other.orderId, 'capture', body, 'x')).status, 404);
  assert.equal(shop.calls.length, before);
});

test('the command line captures and voids, and the log says so', async () => {
  const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runCommandHere([...words, '--json'], env);
    return { code, body: JSON.parse(code === 0 ? stdout : stderr) };
  };
  const { transactionId, orderId } = await shop.hold('gateway');
  const made = await run('payment', 'capture', transactionId, '--amount', '18.00');
  assert.deepEqual([made.code, made.body.status], [0, 'succeeded']);
  assert.equal(made.body.payment_transaction_id, transactionId);
  const rest = await run('payment', 'void', transactionId, '--note', 'out of stock');
  assert.deepEqual([rest.code, rest.body.status], [0, 'succeeded']);
  const { payment } = await shop.show(orderId);
  assert.equal(payment.transaction_amount, 18);
  const again = await run('payment', 'void', transactionId);
  assert.equal(again.code, 1);
  assert.match(again.body.error.message, /voided/);
  const unknown = await run('payment', 'capture', 'o_0000000000000000-260101000000');
  assert.match(unknown.body.error.message, /There is no payment/);
  const { rows } = await service.database.query({
    text: `select actor from audit where account_id = $1 and action = 'void.requested'`,
    values: [account.accountId],
  });
  assert.ok(rows.some(({ actor }) => actor === 'cli'));
});
