import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { auditOf } from '../../support/audit.ts';
import { jsonCommands, runCommandHere } from '../../support/command-here.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  sendGateway,
  sendPartner,
} from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
const { runJson } = jsonCommands(env);

test('deliveries are listed by state, shown by id, and replayed', async () => {
  const invoice_id = 'CLI-1';
  const payment = partnerPayment({ notes: { invoice_id } });
  const event = partnerEvent('payment.captured', { payment });
  const { body: parked } = await sendPartner(service, account, event, { eventId: 'evtCli1' });
  await sendPartner(service, account, partnerEvent('settlement.processed', {}));

  const { deliveries } = await runJson(['inbox', 'list', '--state', 'parked']);
  assert.deepEqual(
    deliveries.map(({ delivery_id, state }: Record<string, unknown>) => [delivery_id, state]),
    [[parked.delivery_id, 'parked']],
  );
  assert.equal((await runJson(['inbox', 'list'])).deliveries.length, 2);

  const shown = await runJson(['inbox', 'show', parked.delivery_id]);
  assert.equal(shown.event_id, 'evtCli1');
  assert.equal(
    shown.delivery_key,
    createHash('sha256').update(JSON.stringify(event)).digest('hex'),
  );
  assert.deepEqual(JSON.parse(shown.body), event);
  assert.doesNotMatch(shown.headers, /signature/i);

  // Inserted directly, so that create order does not unpark the delivery.
  await service.call('/api/v3/create-order', {
    token: account.token,
    body: orderBody({ invoice_id }),
  });
  const { replayed } = await runJson(['inbox', 'replay', parked.delivery_id]);
  assert.equal(replayed[0].state, 'processed');
  const again = await runJson(['inbox', 'replay', '--state', 'processed']);
  assert.deepEqual(
    again.replayed.map(({ state }: { state: string }) => state),
    ['processed'],
  );
  const reply = await service.call('/api/v3/transaction-enquiry', {
    token: account.token,
    body: { invoice_id },
  });
  assert.equal(reply.body.order.status, 'completed');
  assert.equal(reply.body.transaction.length, 1);
});

test('each replay on the command line is in the audit log as cli, also of one that changes nothing', async () => {
  const own = await service.createAccount();
  const { body } = await sendPartner(service, own, partnerEvent('settlement.processed', {}));
  await runJson(['inbox', 'replay', body.delivery_id]);
  await runJson(['inbox', 'replay', '--state', 'ignored']);
  const replayed = {
    actor: 'cli',
    user_id: null,
    address: null,
    details: {},
    action: 'delivery.replayed',
    object: body.delivery_id,
  };
  assert.deepEqual((await auditOf(service, own.accountId)).slice(-2), [replayed, replayed]);
});

test('verify prints that all invariants hold, and exits with 1 for each broken one', async () => {
  await captureAtGateway('CLI-2');
  const holds = await runCommandHere(['verify'], env);
  assert.equal(holds.code, 0, holds.stdout);
  assert.equal(holds.stdout.split('\n').filter((line) => line.startsWith('holds ')).length, 17);

  const breaches: ReadonlyArray<readonly [text: string, undo: string, found: RegExp]> = [
    [
      `update orders set status = 'pending' where invoice_id = 'CLI-1'`,
      `update orders set status = 'completed' where invoice_id = 'CLI-1'`,
      /the status of an order follows/,
    ],
    [
      `update transactions set amount = amount + 1 where provider = 'bank-gateway'`,
      `update transactions set amount = amount - 1 where provider = 'bank-gateway'`,
      /captured money of a gateway order is the sum/,
    ],
    [
      `update transactions set notices = replace(notices::text, 'succeeded', 'authorized')::json
        where provider = 'partner'`,
      `update transactions set notices = replace(notices::text, 'authorized', 'succeeded')::json
        where provider = 'partner'`,
      /no payment succeeded without a capture/,
    ],
    [
      `update orders set event_sequence = 1 where invoice_id = 'CLI-1'`,
      `update orders set event_sequence = 0 where invoice_id = 'CLI-1'`,
      /the events of an order have no gap/,
    ],
    [
      `update transactions set amount = amount + 1`,
      `update transactions set amount = amount - 1`,
      /the history of a transaction ends/,
    ],
    [
      `update transactions set fields = fields || '{"paymentArn":"forged"}' where provider = 'partner'`,
      `update transactions set fields = fields || '{"paymentArn":"828553"}' where provider = 'partner'`,
      /folding the inbox from scratch/,
    ],
    [
      `update deliveries set order_id = 'o_none' where provider = 'partner' and state = 'processed'`,
      `update deliveries set order_id = (select order_id from orders where invoice_id = 'CLI-1')
        where provider = 'partner' and state = 'processed'`,
      /no row refers to another account/,
    ],
    [
      `update deliveries set state = 'parked' where state = 'ignored'`,
      `update deliveries set state = 'ignored' where state = 'parked'`,
      /every delivery is stored once/,
    ],
  ];
  for (const [text, undo, found] of breaches) {
    await service.database.query({ text });
    const { code, stdout } = await runCommandHere(['verify'], env);
    assert.equal(code, 1, stdout);
    const broken = stdout.split('\n').filter((line) => line.startsWith('BROKEN'));
    assert.ok(
      broken.some((line) => found.test(line)),
      stdout,
    );
    await service.database.query({ text: undo });
  }
  assert.equal((await runCommandHere(['verify'], env)).code, 0);
});

test('order rebuild repairs one order or all orders, and leaves correct ones unchanged', async () => {
  const { accountId } = account;
  const { rows } = await service.database.query<{ order_id: string }>({
    text: `select order_id from orders where invoice_id = 'CLI-2'`,
  });
  const orderId = rows[0]?.order_id ?? '';
  const spoil = () =>
    service.database.query({
      text: `update transactions set status = 'failed' where order_id = $1`,
      values: [orderId],
    });
  await spoil();
  assert.deepEqual(await runJson(['order', 'rebuild', accountId, orderId]), {
    order_id: orderId,
    outcome: 'rebuilt',
  });
  await spoil();
  assert.deepEqual(await runJson(['order', 'rebuild', '--all']), {
    rebuilt: [orderId],
    unchanged: 1,
    not_rebuilt_body_pruned: 0,
    failed: [],
  });
  assert.equal((await runJson(['order', 'rebuild', accountId, orderId])).outcome, 'same');
  const entries = await auditOf(service, accountId);
  assert.deepEqual(
    entries.filter(({ action }) => action === 'order.rebuilt'),
    Array(2).fill({
      actor: 'cli',
      user_id: null,
      address: null,
      action: 'order.rebuilt',
      object: orderId,
      details: {},
    }),
    'one for each order that changed',
  );
});

test('wrong arguments are refused, with the place where to read on', async () => {
  for (const words of [
    ['inbox', 'list', '--state', 'gone'],
    ['inbox', 'show', 'dlv_x'],
    ['inbox', 'show'],
    ['inbox', 'replay'],
    ['inbox', 'replay', 'dlv_x', '--state', 'dead'],
    ['keys', 'rotate', 'all'],
    ['order', 'rebuild'],
    ['order', 'rebuild', '--all', 'o_x'],
    ['order', 'rebuild', 'acc_none'],
    ['verify', 'now'],
  ]) {
    const { code, stdout, stderr } = await runCommandHere(words, env);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, words.join(' '));
    assert.match(
      stderr,
      /^[^\n]+\.\nRun "npm run --silent cli -- \w+( \w+)? --help" for its options\.\n$/,
    );
  }
  const unknown = await runCommandHere(['order', 'rebuild', 'acc_none', 'o_none'], env);
  assert.deepEqual(unknown, {
    code: 1,
    stdout: '',
    stderr: 'Account acc_none has no order o_none.\n',
  });
});

/** An authorisation and its capture, which does not refer to it. */
async function captureAtGateway(invoice_id: string): Promise<void> {
  const body = orderBody({ invoice_id });
  await service.call('/api/v3/create-order', { token: account.token, body });
  for (const [id, type] of [
    ['1', 'AUTHORIZATION'],
    ['2', 'CAPTURE'],
  ]) {
    const told = gatewayBody({ order: { id: invoice_id }, transaction: { id, type } });
    await sendGateway(service, account, told);
  }
}
