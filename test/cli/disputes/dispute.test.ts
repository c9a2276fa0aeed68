/** `dispute list` and `dispute show`. Contract 17.6. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { disputeEvent, disputeRecord, openDisputeShop } from '../../api/disputes/dispute-shop.ts';
import { captureOf, shopOf } from '../../api/webhooks/shop.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { partnerPayment } from '../../support/deliveries.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const shop = await openDisputeShop();
const { service, account, createPaid, sendPartner } = shop;
const { accountId } = account;
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
const other = shopOf(service, await service.createAccount());
const soonSeconds = Math.floor(Date.now() / 1_000) + 3_600;
let ids: { soon: string; later: string; lost: string; foreign: string };

before(async () => {
  const later = disputeRecord((await createPaid()).payment, { respond_by: soonSeconds + 864_000 });
  const lost = disputeRecord((await createPaid()).payment, { phase: 'fraud' });
  const soon = disputeRecord((await createPaid()).payment, { respond_by: soonSeconds });
  for (const record of [later, lost, soon]) await sendPartner(disputeEvent('created', record));
  await sendPartner(disputeEvent('action_required', later, 60));
  await sendPartner(disputeEvent('lost', { ...lost, status: 'lost' }, 60));
  const payment = partnerPayment({ notes: { svc_order_id: (await other.createOrder()).order_id } });
  const { id, notes } = payment;
  await other.sendPartner(
    captureOf({ order_id: String((notes as { svc_order_id: string }).svc_order_id) }, { id }),
  );
  const foreign = disputeRecord(payment, { respond_by: soonSeconds + 60 });
  await other.sendPartner(disputeEvent('created', foreign));
  const idOf = (record: Record<string, unknown>) => String(record.id);
  ids = { soon: idOf(soon), later: idOf(later), lost: idOf(lost), foreign: idOf(foreign) };
});

const run = (...words: string[]) => runCommandHere(['dispute', ...words], env);
async function listJson(...words: string[]) {
  const { code, stdout, stderr } = await run('list', ...words, '--json');
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout);
}
const idsOf = ({ disputes }: { disputes: { dispute_id: string }[] }) =>
  disputes.map(({ dispute_id }) => dispute_id);

test('the disputes of all accounts are listed by their deadline, the nearest first', async () => {
  const all = await listJson();
  assert.deepEqual(idsOf(all), [ids.soon, ids.foreign, ids.later, ids.lost]);
  assert.deepEqual(idsOf(await listJson('--account', accountId)), [ids.soon, ids.later, ids.lost]);
  const { account_id, order_id, invoice_id, transaction_id, changed_at, ...rest } = all.disputes[0];
  assert.equal(account_id, accountId);
  assert.ok(transaction_id.startsWith(order_id) && invoice_id && changed_at);
  assert.deepEqual(rest, {
    dispute_id: ids.soon,
    status: 'open',
    phase: 'chargeback',
    reason_code: 'goods_not_received',
    reason: 'The goods did not arrive.',
    amount: 118,
    currency: 'INR',
    amount_deducted: 0,
    respond_by: new Date(soonSeconds * 1_000).toISOString(),
    action_required: false,
    created_at: '2026-11-16T03:33:20.000Z',
    provider: 'partner',
  });
});

test('filters and pages', async () => {
  const own = ['--account', accountId];
  assert.deepEqual(idsOf(await listJson('--status', 'lost')), [ids.lost]);
  assert.deepEqual(idsOf(await listJson('--phase', 'fraud')), [ids.lost]);
  assert.deepEqual(idsOf(await listJson('--provider', 'bank-gateway')), []);
  assert.deepEqual(idsOf(await listJson('--currency', 'INR', ...own)).length, 3);
  assert.deepEqual(idsOf(await listJson('--since', '2099-01-01')), []);
  const first = await listJson('--limit', '2');
  const second = await listJson('--limit', '2', '--after', first.next);
  assert.deepEqual([...idsOf(first), ...idsOf(second)], idsOf(await listJson()));
  assert.equal(second.next, undefined);
  const { code, stderr } = await run('list', '--after', '7');
  assert.equal(code, 1);
  assert.match(stderr, /^--after must be the "next" of a page\./);
});

test('the table marks what is urgent, and what the provider asks for', async () => {
  const { stdout } = await run('list', '--account', accountId);
  const [head, soon, later, lost] = stdout.split('\n');
  assert.match(head ?? '', /^DEADLINE +STATUS +AMOUNT +PHASE +REASON +DISPUTE +ORDER +ACCOUNT/);
  assert.match(soon ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\dZ! +open +118\.00 INR +chargeback +goods/);
  assert.match(later ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\dZ +open! /);
  assert.match(lost ?? '', /^- +lost /);
});

test('one dispute is shown with its payment and what happened, and no personal data', async () => {
  const { code, stdout } = await run('show', accountId, ids.lost);
  assert.equal(code, 0);
  for (const words of [
    /^dispute_id +disp_/m,
    /^status +lost$/m,
    /^payment_status +succeeded$/m,
    /^available_amount +0$/m,
    / +Payment of 118\.00 INR succeeded\.$/m,
    /dispute_lost/,
  ]) {
    assert.match(stdout, words);
  }
  assert.doesNotMatch(stdout, /asha@example|9876543210/);
  const shown = JSON.parse((await run('show', accountId, ids.lost, '--json')).stdout);
  assert.deepEqual(Object.keys(shown), ['dispute', 'payments', 'timeline', 'events']);
});

test('a dispute of another account is not found', async () => {
  for (const id of [ids.foreign, 'disp_none']) {
    const { code, stdout, stderr } = await run('show', accountId, id);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^The account has no such dispute\./);
  }
});
