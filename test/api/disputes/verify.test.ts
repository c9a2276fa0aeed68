/** What `verify` says about disputes whose data is broken, and that `order rebuild` repairs it. Contract 9.15 and 9.16. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { refundEvent } from '../../../src/providers/partner/call-partner.ts';
import { rebuildOrder } from '../../../src/use-cases/upkeep/rebuild-order.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { assertInvariants } from '../webhooks/shop.ts';
import { disputeEvent, disputeRecord, openDisputeShop, openedAt } from './dispute-shop.ts';

const shop = await openDisputeShop();
const { service, account, createPaid, sendPartner } = shop;
const { database } = service;

describe('verify finds', () => {
  test('a payment that was refunded and claimed beyond what was captured, and is not flagged', async () => {
    const { orderId, payment, transactionId } = await createPaid();
    const refund = { payment_id: payment.id, amount: 5000, currency: 'INR' };
    const made = { ...refund, id: `rfnd_${payment.id}`, status: 'processed', created_at: openedAt };
    await sendPartner(refundEvent(made).toString());
    await sendPartner(disputeEvent('created', disputeRecord(payment, { amount: 6801 })));
    assert.deepEqual(await listBreaches(), []);
    await run(`update transactions set flags = '{}' where order_id = $1`, orderId);
    const what = '5000 are refunded and 6801 are claimed of 11800, and it is not flagged';
    const found = await listBreaches();
    const invariant =
      'refunds and open or lost disputes do not exceed what was captured, or it is flagged';
    assert.deepEqual(
      found.filter((breach) => breach.invariant === invariant),
      [{ where: transactionId, what, invariant }],
    );
    await rebuild(orderId);
  });

  test('a dispute without its row, which "order rebuild" inserts with its next poll', async () => {
    const { orderId, id } = await openDispute();
    const before = await rowsOf(orderId);
    await run('delete from disputes where order_id = $1', orderId);
    await assertFound(orderId, `the table "disputes" has no dispute ${id}`);
    await rebuild(orderId);
    assert.deepEqual(await rowsOf(orderId), before);
  });

  test('a row that no report gives, which "order rebuild" deletes', async () => {
    const { orderId } = await openDispute();
    await run(
      `insert into disputes (account_id, order_id, provider, dispute_id, transaction_id, status,
                             action_required, changed_at)
       select account_id, order_id, provider, 'disp_stray', transaction_id, 'lost', false, changed_at
         from disputes where order_id = $1`,
      orderId,
    );
    await assertFound(orderId, 'the table "disputes" has a dispute disp_stray too many');
    await rebuild(orderId);
    assert.equal((await rowsOf(orderId)).length, 1);
  });

  for (const [field, change] of [
    ['status', "status = 'won'"],
    ['amount', 'amount = amount + 1'],
    ['respondByMs', "respond_by = respond_by - interval '1 day'"],
    ['transactionId', "transaction_id = 'o_x-1'"],
  ] as const) {
    test(`a row with another ${field}`, async () => {
      const { orderId, id } = await openDispute();
      const before = await rowsOf(orderId);
      await run(`update disputes set ${change} where order_id = $1`, orderId);
      await assertFound(orderId, `the table "disputes" has another ${field} of dispute ${id}`);
      await rebuild(orderId);
      assert.deepEqual(await rowsOf(orderId), before);
    });
  }

  test('a payment that shows another dispute than its reports give, also when bodies were deleted by age', async () => {
    const { orderId, id } = await openDispute();
    const [body] = await run('select body from deliveries where order_id = $1 limit 1', orderId);
    await run('update deliveries set body = null where order_id = $1', orderId);
    await run(
      `update transactions set fields = jsonb_set(fields::jsonb, '{disputes,0,status}', '"won"')
        where order_id = $1`,
      orderId,
    );
    const found = (await listBreaches()).map(({ what }) => what);
    assert.ok(
      found.includes(`its payments show another status of dispute ${id}: see "order rebuild"`),
      found.join('\n'),
    );
    assert.ok(body);
    await run('delete from transactions where order_id = $1', orderId);
    for (const table of ['history', 'events', 'deliveries', 'disputes', 'orders']) {
      await run(`delete from ${table} where order_id = $1`, orderId);
    }
  });

  test('a row whose account has no such order', async () => {
    const { orderId, id } = await openDispute();
    const move = (from: string, to: string) =>
      database.query({
        text: 'update disputes set order_id = $2 where order_id = $1',
        values: [from, to],
      });
    await move(orderId, 'o_none');
    const found = await listBreaches();
    assert.deepEqual(
      found.map(({ where, what }) => [where, what.replace(/:.*/, '')]),
      [
        [id, 'disputes row refers to orders row that its account does not have'],
        [orderId, `the table "disputes" has no dispute ${id}`],
      ],
    );
    await move('o_none', orderId);
  });
});

test('the invariants hold after all of this', () => assertInvariants(shop));

async function openDispute() {
  const { orderId, payment } = await createPaid();
  const record = disputeRecord(payment);
  await sendPartner(disputeEvent('created', record));
  return { orderId, id: String(record.id) };
}

async function listBreaches() {
  return (await verifyInvariants(service.services)).breaches;
}

async function assertFound(orderId: string, what: string): Promise<void> {
  const invariant = 'the disputes that are stored are those that the reports of the order give';
  assert.deepEqual(await listBreaches(), [
    { where: orderId, what: `${what}: see "order rebuild"`, invariant },
  ]);
}

async function rebuild(orderId: string): Promise<void> {
  const outcome = await rebuildOrder(service.services, account.accountId, orderId, commandLine);
  assert.equal(outcome, 'rebuilt');
  assert.deepEqual(await listBreaches(), []);
}

/** Without the times of the change and of the next poll, which a rebuild sets anew. */
async function rowsOf(orderId: string) {
  const rows = await run('select * from disputes where order_id = $1', orderId);
  return rows.map(({ changed_at: _changed, next_poll_at, ...row }) => ({
    ...row,
    isPolled: next_poll_at !== null,
  }));
}

async function run(text: string, orderId: string) {
  const { rows } = await database.query({ text, values: [orderId] });
  return rows;
}
