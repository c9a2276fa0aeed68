import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partnerEvent, partnerRefund, sendPartner } from '../../support/deliveries.ts';
import { modeOf, startJourney } from '../../support/journey.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, shop, createOrder, createPaid, heal, enquire, assertSound } =
  await startJourney();
const timesFifty = Array.from({ length: 50 }, (_, index) => index);

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`the same key and content returns the first reply again, whatever happened since, at ${provider}`, async () => {
    const { orderId, transactionId } = await createPaid({}, mode);
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    const body = { transaction_id: transactionId, refund_request_id: `R-${mode}` };
    const first = await refund(`same-${mode}`, body);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.equal(isReplay(first), false);
    await assertNothingHappens(async () => {
      assertReplayed(await refund(`same-${mode}`, body), first);
    });
    await heal();
    await simulator.settled();
    assertReplayed(await refund(`same-${mode}`, body), first);
    assert.equal(refundsOf(orderId), 1);
  });

  test(`fifty concurrent calls with one key make one refund and equal replies, at ${provider}`, async () => {
    const { orderId, transactionId } = await createPaid({}, mode);
    const body = { transaction_id: transactionId, refund_amount: 2 };
    const replies = await Promise.all(timesFifty.map(() => refund(`fifty-${mode}`, body)));
    const fresh = replies.filter((reply) => !isReplay(reply));
    assert.equal(fresh.length, 1);
    for (const { status, body } of replies) assert.deepEqual([status, body], [200, fresh[0]?.body]);
    await simulator.settled();
    assert.equal(refundsOf(orderId), 1);
  });
}

test('a repeated refund without an amount returns the first reply although nothing is left', async () => {
  const { orderId, transactionId } = await createPaid();
  const first = await refund('all', { transaction_id: transactionId });
  await simulator.settled();
  assertReplayed(await refund('all', { transaction_id: transactionId }), first);
  assert.equal(refundsOf(orderId), 1);
});

test('amounts are compared by value, and the invoice beside the payment changes nothing', async () => {
  const { transactionId } = await createPaid({ invoice_id: 'by-value' });
  const first = await refund('value', { transaction_id: transactionId, refund_amount: 10.5 });
  for (const refund_amount of ['10.5', '10.50', 10.5]) {
    const body = { transaction_id: transactionId, invoice_id: 'by-value', refund_amount };
    assertReplayed(await refund('value', body), first);
  }
});

test('a repeat may name its amount amount or refund_amount', async () => {
  const { orderId, transactionId } = await createPaid();
  const first = await refund('named', { transaction_id: transactionId, amount: '10.50' });
  for (const amounts of [{ refund_amount: 10.5 }, { amount: 10.5, refund_amount: '10.5' }]) {
    assertReplayed(await refund('named', { transaction_id: transactionId, ...amounts }), first);
  }
  assert.equal(refundsOf(orderId), 1);
});

test('an amount that is none is refused under a known key too', async () => {
  const { transactionId } = await createPaid();
  assert.equal((await refund('known', { transaction_id: transactionId })).status, 200);
  await simulator.settled();
  await assertNothingHappens(async () => {
    for (const refund_amount of [null, '', 0, 'abc']) {
      const reply = await refund('known', { transaction_id: transactionId, refund_amount });
      assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /^refund_amount must/);
    }
  });
});

test('other content under the same key is refused, and nothing happens', async () => {
  const { transactionId } = await createPaid({ invoice_id: 'other-content' });
  const other = await createPaid();
  const body = { transaction_id: transactionId, refund_amount: 1, refund_request_id: 'other' };
  assert.equal((await refund('other', body)).status, 200);
  await simulator.settled();
  const contents = [
    { ...body, refund_amount: 2 },
    { ...body, refund_amount: undefined },
    { ...body, refund_amount: 1_000 },
    { ...body, refund_request_id: 'another' },
    { ...body, refund_request_id: undefined },
    { ...body, transaction_id: other.transactionId },
  ];
  await assertNothingHappens(async () => {
    for (const content of contents) {
      assertRefused(await refund('other', content), 'IDEMPOTENCY_KEY_REUSED');
    }
  });
});

test('the same key of initiate-payment is a different key', async () => {
  const { transactionId } = await createPaid();
  const started = await call('initiate-payment', 'both', card(await createOrder()));
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const made = await refund('both', { transaction_id: transactionId, refund_amount: 1 });
  assert.deepEqual([made.status, isReplay(made)], [200, false]);
});

test('a refusal leaves the key free: the corrected request succeeds', async () => {
  const { transactionId } = await createPaid();
  const body = { transaction_id: transactionId, refund_amount: 119 };
  const words = 'refund_amount may be at most';
  assertRefused(await refund('corrected', body), 'INVALID_REFUND_AMOUNT', words);
  const made = await refund('corrected', { ...body, refund_amount: 118 });
  assert.deepEqual([made.status, isReplay(made)], [200, false]);
});

test('a new key for a known refund_request_id returns that refund, and a repeat returns the same reply', async () => {
  const { orderId, transactionId } = await createPaid();
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  const body = { transaction_id: transactionId, refund_request_id: 'two-keys' };
  const first = await refund('key-1', body);
  const second = await refund('key-2', body);
  assert.deepEqual([isReplay(first), isReplay(second)], [false, true]);
  assert.equal(second.body.transaction_id, first.body.transaction_id);
  await failRefund(transactionId, first.body.transaction_id);
  const failed = (await enquire({ transaction_id: first.body.transaction_id })).body;
  assert.equal(failed.transaction[0].refund_status, 'failed');
  // The request id alone would now make another refund; a repeated key never does.
  assertReplayed(await refund('key-1', body), first);
  assertReplayed(await refund('key-2', body), second);
  assertRefused(await refund('key-2', { ...body, refund_amount: 1 }), 'IDEMPOTENCY_KEY_REUSED');
  assert.equal(refundsOf(orderId), 1);
});

test('a first reply that was not stored is built from the current refund', async () => {
  const { orderId, transactionId } = await createPaid();
  const body = { transaction_id: transactionId, refund_amount: 18 };
  const first = await refund('lost', body);
  await simulator.settled();
  await service.database.query({ text: 'update idempotency_keys set answer = null' });
  service.advanceSeconds(8);
  const again = await refund('lost', body);
  assert.equal(isReplay(again), true);
  const { refund_arn } = again.body;
  assert.deepEqual(again.body, { ...first.body, refund_status: 'succeeded', refund_arn });
  assert.equal(refundsOf(orderId), 1);
});

test('an invalid key is refused, the message names the header, and nothing happens', async () => {
  const { transactionId } = await createPaid();
  await assertNothingHappens(async () => {
    for (const key of ['', 'k'.repeat(256)]) {
      const reply = await refund(key, { transaction_id: transactionId });
      assertRefused(reply, 'INVALID_REQUEST_PARAMETER', 'Idempotency-Key must have 1 to 255');
    }
  });
});

test('the invariants hold after all of this', assertSound);

function card(order_id: string) {
  return { order_id, payment_mode_code: 'credit_card' };
}

function refund(key: string, body: object): Promise<Reply> {
  return call('refund', key, body);
}

async function call(path: string, key: string, body: object): Promise<Reply> {
  const { accountId } = shop;
  const { token } = await issueMerchantToken(service.services, accountId);
  return service.call(`/api/v3/${path}`, { token, headers: { 'idempotency-key': key }, body });
}

function isReplay({ headers }: Reply): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

function assertReplayed(reply: Reply, first: Reply): void {
  assert.equal(isReplay(reply), true, JSON.stringify(reply.body));
  assert.equal(reply.status, first.status);
  assert.equal(JSON.stringify(reply.body), JSON.stringify(first.body));
}

/** The partner reports that the refund failed. */
async function failRefund(paymentId: string, refundId: string): Promise<void> {
  const { payments, refunds } = simulator.ledger();
  const payment = payments.find(({ reference }) => reference === paymentId);
  const { id, amount } = refunds.find(({ reference }) => reference === refundId) ?? {};
  const failed = partnerRefund({ id: payment?.id }, { id, amount, status: 'failed' });
  const reply = await sendPartner(service, shop, partnerEvent('refund.failed', { refund: failed }));
  assert.equal(reply.body.status, 'processed', JSON.stringify(reply.body));
}

/** Refunds of an order that the provider has. */
function refundsOf(orderId: string): number {
  return simulator.ledger().refunds.filter(({ reference }) => reference.startsWith(`${orderId}-`))
    .length;
}

/** Nothing was stored here, and no provider was called. */
async function assertNothingHappens(act: () => Promise<void>): Promise<void> {
  const before = [await dumpTables(service.database), simulator.ledger()];
  await act();
  assert.deepEqual([await dumpTables(service.database), simulator.ledger()], before);
}
