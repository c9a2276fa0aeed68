/** `order why`: the explanation of an order as text and as JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { openShop } from '../../api/webhooks/shop.ts';
import { jsonCommands, runCommandHere } from '../../support/command-here.ts';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const shop = await openShop();
const env = { DATABASE_URL: shop.service.url, MASTER_KEY: testMasterKeyHex };
const { runJson, refusalOf } = jsonCommands(env);
const order = await shop.createOrder({ invoice_id: 'WHY-1' });
const payment = partnerPayment({
  method: 'upi',
  vpa: 'asha@okbank',
  upi: { vpa: 'asha@okbank' },
  notes: { svc_order_id: order.order_id },
});
const failure = {
  status: 'failed',
  error_reason: 'payment_declined',
  error_description: 'No.\u001b',
};
const failed = await send('payment.failed', { ...payment, ...failure });
const captured = await send('payment.captured', payment);

test('prints the timeline, and what set each field', async () => {
  const { code, stdout } = await runCommandHere(['order', 'why', 'WHY-1'], env);
  assert.equal(code, 0);
  const has = (...lines: string[]) =>
    assert.ok(stdout.includes(lines.join('\n')), lines.join('\n'));
  has(`Order ${order.order_id}, invoice WHY-1, account ${shop.account.accountId}`);
  has('completed, 118.00 INR, payments: 1, flags: none');
  assert.match(stdout, /\nTimeline\n {2}\S+Z {2}Order created for 118\.00 INR\n/);
  has(`Delivery ${captured} received: payment.captured from Razorpay, processed`);
  assert.match(stdout, /\n {6}o_\S+: status failed → succeeded\n/);
  assert.match(stdout, /\n {6}order: status pending → completed\n/);
  has(
    '  status: succeeded',
    `    set by delivery ${captured}. The highest status that was reported counts, whatever arrived last.`,
  );
  assert.match(
    stdout,
    new RegExp(`before: failed until \\S+Z, changed by delivery ${captured}\\n`),
  );
  has(
    `    not failed from delivery ${failed}. The highest status that was reported counts, whatever arrived last.`,
  );
  has('  amount: 118.00 INR', `    set by delivery ${failed}.`);
  has(`    also reported by delivery ${captured}`);
  has('  sub_payment_mode: {"upi_id":"a***a@okbank"');
  assert.doesNotMatch(stdout, /asha@|9876543210/);
  assert.equal(stdout, stripVTControlCharacters(stdout));
});

test('on a terminal only the titles are bold', async () => {
  const plain = await runCommandHere(['order', 'why', order.order_id], env);
  const coloured = await runCommandHere(['order', 'why', order.order_id], env, 80);
  const withoutTime = (text: string) => text.replace(/Explained at \S+/, '');
  assert.notEqual(coloured.stdout, stripVTControlCharacters(coloured.stdout));
  assert.equal(withoutTime(stripVTControlCharacters(coloured.stdout)), withoutTime(plain.stdout));
});

test('--json prints the same in wire names, with the text for a ticket', async () => {
  const shown = await runJson(`order why WHY-1 --account ${shop.account.accountId}`);
  assert.deepEqual(Object.keys(shown), [
    'order',
    'explained_at',
    'timeline',
    'transactions',
    'transactions_total',
    'next_transactions_after',
    'held',
    'text',
  ]);
  assert.deepEqual(shown.order.amounts, {
    currency: 'INR',
    before_tax: 100,
    tax: 18,
    total: 118,
  });
  const [status] = shown.transactions[0].fields;
  assert.deepEqual(status.set_by, [{ kind: 'delivery', delivery_id: captured }]);
  assert.deepEqual(status.previous.cause, { kind: 'delivery', delivery_id: captured });
  assert.deepEqual([status.lost_more, status.set_by_more], [0, 0]);
  assert.match(shown.text, /^Order o_/);
  assert.doesNotMatch(JSON.stringify(shown), /asha@|9876543210/);
  const before = await runJson(`order why WHY-1 --up-to 2020-01-01T00:00:00Z`);
  assert.deepEqual(before.timeline.entries, []);
  const behind = await runJson(`order why WHY-1 --after ${shown.transactions[0].transaction_id}`);
  assert.deepEqual(behind.transactions, []);
});

test('an order that does not exist and options that cannot be read are refused', async () => {
  assert.equal(
    await refusalOf('order why INV-404'),
    'There is no order with the id or invoice INV-404.',
  );
  assert.equal(
    await refusalOf('order why WHY-1 --account acc_none'),
    'There is no account acc_none.',
  );
  assert.equal(
    await refusalOf('order why WHY-1 --up-to never'),
    '--up-to must be a time in ISO 8601.',
  );
  assert.equal(await refusalOf('order why WHY-1 --after 1'), '--after must be a transaction id.');
});

async function send(event: string, record: Record<string, unknown>): Promise<string> {
  const reply = await shop.sendPartner(partnerEvent(event, { payment: record }));
  return reply.body.delivery_id;
}
