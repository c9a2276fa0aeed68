import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { findCheckout, modeOf, startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, shop, openShop, createPaid, refund, enquire, heal, assertSound } =
  await startJourney();

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`a refund without an amount refunds all that is available, at ${provider}`, async () => {
    const { orderId, transactionId } = await createPaid({}, mode);
    const request = { transaction_id: transactionId, refund_request_id: `all-${mode}` };
    const reply = await refund(request);
    const refundId = assertRefunded(reply, transactionId, {
      refund_request_id: `all-${mode}`,
      transaction_type: 'full_refund',
    });
    await simulator.settled();

    assert.deepEqual(ledgerOf(refundId), [{ amount: 11800, currency: 'INR', status: 'processed' }]);
    const { transaction, order } = (await enquire({ order_id: orderId })).body;
    assert.deepEqual(order.refund_details, details(118, 118, 0));
    const [payment, refunded] = transaction;
    assert.deepEqual(
      [payment.svc_transaction_id, payment.refund_status, payment.refund_request_id],
      [transactionId, 'succeeded', `all-${mode}`],
    );
    assert.deepEqual(
      [refunded.svc_transaction_id, refunded.payment_status, refunded.refund_status],
      [refundId, null, 'succeeded'],
    );
    assert.equal(refunded.transaction_type, 'full_refund');
    assert.equal(refunded.transaction_amount, 118);
    assert.equal(transaction.length, 2);
  });

  test(`a payment is refunded in parts until nothing is left, at ${provider}`, async () => {
    const { orderId, transactionId } = await createPaid({}, mode);
    const parts = [
      [18, 18],
      ['60.50', 78.5],
      [0.01, 78.51],
      [undefined, 118],
    ] as const;
    const references: string[] = [];
    for (const [refund_amount, refunded] of parts) {
      const reply = await refund({ transaction_id: transactionId, refund_amount });
      references.push(
        assertRefunded(reply, transactionId, {
          refund_request_id: reply.body.transaction_id,
          transaction_type: 'partial_refund',
        }),
      );
      await simulator.settled();
      const { order } = (await enquire({ order_id: orderId })).body;
      const available = Math.round((118 - refunded) * 100) / 100;
      assert.deepEqual(order.refund_details, details(118, refunded, available));
    }
    assert.equal(new Set(references).size, 4);
    const amounts = references.flatMap((reference) => ledgerOf(reference));
    assert.deepEqual(
      amounts.map(({ amount }) => amount),
      [1800, 6050, 1, 3949],
    );
  });
}

test('a refund_amount with a floating-point artefact counts as the exact amount', async () => {
  const { orderId, transactionId } = await createPaid();
  for (const number of ['0.30000000000000004', '0.10000000000000001']) {
    const body = `{"transaction_id":"${transactionId}","refund_amount":${number}}`;
    assert.equal((await refund(body)).status, 200, number);
    assertRefused(
      await refund(body.replace(number, `"${number}"`)),
      'INVALID_REQUEST_PARAMETER',
      /^refund_amount /,
    );
  }
  await simulator.settled();
  const { order } = (await enquire({ order_id: orderId })).body;
  assert.deepEqual(order.refund_details, details(118, 0.4, 117.6));
});

test('amount is another name of refund_amount, and both may be sent if they are equal', async () => {
  const { orderId, transactionId } = await createPaid();
  const bodies = [
    '"amount":18',
    '"amount":"60.50"',
    '"amount":"10.50","refund_amount":10.5',
    '"amount":0.30000000000000004,"refund_amount":"0.3"',
  ];
  for (const amounts of bodies) {
    const reply = await refund(`{"transaction_id":"${transactionId}",${amounts}}`);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    await simulator.settled();
  }
  const { order } = (await enquire({ order_id: orderId })).body;
  assert.deepEqual(order.refund_details, details(118, 89.3, 28.7));
});

const currencies = [
  ['JPY', 500, 499, 499],
  ['KWD', 1.25, '1.001', 1001],
  ['INR', 118, 117.99, 11799],
] as const;
for (const [currency, total_amount, refund_amount, minor] of currencies) {
  test(`a part in ${currency} is exactly ${minor} minor units at either provider`, async () => {
    for (const mode of Object.values(modeOf)) {
      const amounts = { currency, amount_before_tax: undefined, tax: 0, total_amount };
      const { orderId, transactionId } = await createPaid(amounts, mode);
      const reply = await refund({ transaction_id: transactionId, refund_amount });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      await simulator.settled();
      const [there] = ledgerOf(reply.body.transaction_id);
      assert.deepEqual([there?.amount, there?.currency], [minor, currency]);
      const { order } = (await enquire({ order_id: orderId })).body;
      assert.equal(order.refund_details.refunded_amount, Number(refund_amount));
    }
  });
}

test('an invoice identifies the payment that paid for it, not a failed one', async () => {
  const { orderId, transactionId, invoiceId } = await paidAtSecondTry();
  const reply = await refund({ invoice_id: invoiceId, refund_amount: 1 });
  assertRefunded(reply, transactionId, {
    refund_request_id: reply.body.transaction_id,
    transaction_type: 'partial_refund',
  });
  const both = { invoice_id: invoiceId, transaction_id: transactionId, refund_amount: 1 };
  assert.equal((await refund(both)).status, 200);
  await simulator.settled();
  const { order } = (await enquire({ order_id: orderId })).body;
  assert.deepEqual(order.refund_details, details(118, 2, 116));
});

test('a refund is pending and its amount reserved until the provider reports the result', async () => {
  const { orderId, transactionId } = await createPaid();
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  const reply = await refund({ transaction_id: transactionId, refund_amount: 100 });
  assert.equal(reply.body.refund_status, 'pending');
  const { order } = (await enquire({ order_id: orderId })).body;
  assert.deepEqual(order.refund_details, details(118, 0, 18));
});

test('a failed refund releases its amount and its request id', async () => {
  const { orderId, transactionId } = await createPaid();
  simulator.setScenarioFor(orderId, { name: 'refund-failing' });
  const request = { transaction_id: transactionId, refund_request_id: 'again' };
  const first = await refund(request);
  assert.equal(first.status, 200);
  await simulator.settled();
  const failed = (await enquire({ transaction_id: first.body.transaction_id })).body;
  assert.equal(failed.transaction[0].refund_status, 'failed');
  assert.equal(failed.transaction[0].failure_reason.svc_error_code, 'REFUND_FAILED');
  assert.deepEqual(failed.order.refund_details, details(118, 0, 118));

  simulator.setScenarioFor(orderId, { name: 'happy' });
  const second = await refund(request);
  assertRefunded(second, transactionId, {
    refund_request_id: 'again',
    transaction_type: 'full_refund',
  });
  assert.notEqual(second.body.transaction_id, first.body.transaction_id);
  await simulator.settled();
  const { body } = await enquire({ order_id: orderId });
  assert.deepEqual(
    body.transaction.map((entry: Record<string, unknown>) => entry.refund_status),
    ['succeeded', 'failed', 'succeeded'],
  );
  assert.deepEqual(body.order.refund_details, details(118, 118, 0));
});

test('a refund stays pending when the connection to the provider breaks, and is made once the provider is back', async () => {
  for (const mode of Object.values(modeOf)) {
    const { orderId, transactionId } = await createPaid({}, mode);
    // Three calls in a row break: as many as one request makes.
    simulator.setScenarioFor(orderId, { name: 'provider-down', times: 3 });
    const request = { transaction_id: transactionId, refund_request_id: `down-${mode}` };
    const { status, body } = await refund(request);
    assert.deepEqual([status, body.refund_status], [200, 'pending'], JSON.stringify(body));
    assert.deepEqual(ledgerOf(body.transaction_id), []);
    await heal();
    await simulator.settled();
    assert.equal(ledgerOf(body.transaction_id).length, 1);
    const { order } = (await enquire({ order_id: orderId })).body;
    assert.deepEqual(order.refund_details, details(118, 118, 0));
  }
});

test('a refusal of the provider makes a failed refund that reserves nothing', async () => {
  const { orderId, transactionId } = await createPaid();
  const { payments } = simulator.ledger();
  const paid = payments.find(({ reference }) => reference === transactionId);
  assert.ok(paid);
  // The shop refunds at the partner's own dashboard, and no webhook reports it.
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  const there = await refundAtPartner(paid.id);
  assert.equal(there, 200);
  const { status, body } = await refund({ transaction_id: transactionId, refund_amount: 18 });
  assert.deepEqual([status, body.refund_status], [200, 'failed']);
  const seen = (await enquire({ transaction_id: body.transaction_id })).body;
  assert.match(
    seen.transaction[0].failure_reason.svc_merchant_message,
    /^The provider refused the refund: HTTP status 400: /,
  );
  assert.deepEqual(seen.order.refund_details, details(118, 0, 118));
});

test('a request id may be a number, and as long as 255 characters', async () => {
  const { orderId, transactionId } = await createPaid();
  const long = 'r'.repeat(255);
  for (const [refund_request_id, kept] of [
    [4711, '4711'],
    [long, long],
    [undefined, undefined],
  ] as const) {
    const wished = { transaction_id: transactionId, refund_amount: 1, refund_request_id };
    const { status, body } = await refund(wished);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.refund_request_id, kept ?? body.transaction_id);
    await simulator.settled();
    const seen = (await enquire({ transaction_id: body.transaction_id })).body;
    assert.equal(seen.transaction[0].refund_request_id, kept ?? body.transaction_id);
  }
  const { order } = (await enquire({ order_id: orderId })).body;
  assert.deepEqual(order.refund_details, details(118, 3, 115));
});

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`a repeated request id returns the current refund, at ${provider}`, async () => {
    const invoice_id = `repeated-${mode}`;
    const { orderId, transactionId } = await createPaid({ invoice_id }, mode);
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    const refund_request_id = `repeated-${mode}`;
    const first = await refund({ transaction_id: transactionId, refund_request_id });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const before = [await dumpTables(service.database), simulator.ledger()];
    // Nothing is left to refund: a repeat is recognised before anything else is checked.
    const repeats = [
      { transaction_id: transactionId, refund_request_id },
      { invoice_id, refund_request_id },
      { invoice_id, transaction_id: transactionId, refund_amount: '118.00', refund_request_id },
    ];
    for (const repeat of repeats) {
      const again = await refund(repeat);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual([again.status, again.body], [200, first.body]);
    }
    assert.deepEqual([await dumpTables(service.database), simulator.ledger()], before);

    await heal();
    await simulator.settled();
    const later = await refund({ transaction_id: transactionId, refund_request_id });
    assert.equal(later.headers.get('idempotent-replayed'), 'true');
    assert.equal(later.body.refund_status, 'succeeded');
    assert.equal(later.body.transaction_id, first.body.transaction_id);
    assert.equal(ledgerOf(first.body.transaction_id).length, 1);
  });
}

test('a repeated request id returns the refund under either name of its amount', async () => {
  const { orderId, transactionId } = await createPaid();
  const request = { transaction_id: transactionId, refund_request_id: 'either-name' };
  const first = await refund({ ...request, amount: 10.5 });
  await simulator.settled();
  for (const amounts of [{ refund_amount: '10.50' }, { amount: '10.5', refund_amount: 10.5 }]) {
    const again = await refund({ ...request, ...amounts });
    assert.equal(again.headers.get('idempotent-replayed'), 'true', JSON.stringify(again.body));
    assert.equal(again.body.transaction_id, first.body.transaction_id);
  }
  assertRefused(await refund({ ...request, amount: 10.51 }), 'DUPLICATE_REFUND_REQUEST');
  const { order } = (await enquire({ order_id: orderId })).body;
  assert.deepEqual(order.refund_details, details(118, 10.5, 107.5));
});

test('long request ids with the same beginning are different', async () => {
  for (const mode of Object.values(modeOf)) {
    const { transactionId } = await createPaid({}, mode);
    const alike = `${mode}-${'x'.repeat(60)}`;
    const ids = new Set<string>();
    for (const end of ['a', 'b']) {
      const refund_request_id = `${alike}${end}`;
      const request = { transaction_id: transactionId, refund_amount: 1, refund_request_id };
      const first = await refund(request);
      await simulator.settled();
      const again = await refund(request);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.equal(again.body.transaction_id, first.body.transaction_id);
      ids.add(first.body.transaction_id);
    }
    assert.equal(ids.size, 2);
  }
});

test('a sealed request is answered sealed', async () => {
  const account = await openShop({ encryptedPayloads: true });
  const { token, accessSecret } = account;
  const call = (path: string, body: object) => service.call(`/api/v3/${path}`, { token, body });
  const { order_id } = (await call('create-order', orderBody())).body;
  const started = await call('initiate-payment', { order_id, payment_mode_code: 'credit_card' });
  await simulator.pay(await findCheckout(started.body.next[0].url));
  await simulator.settled();
  const wished = { transaction_id: started.body.transaction_id, refund_request_id: 'sealed' };
  const callSealed = async (body: object) => {
    const encrypted_payload = sealPayload(JSON.stringify(body), accessSecret);
    const reply = await call('refund', { encrypted_payload });
    assert.deepEqual(Object.keys(reply.body), ['encrypted_response']);
    const opened = JSON.parse(String(openPayload(reply.body.encrypted_response, accessSecret)));
    return { reply, opened };
  };
  const { reply: refused, opened: reason } = await callSealed({ ...wished, refund_amount: null });
  assertRefused({ ...refused, body: reason }, 'INVALID_REQUEST_PARAMETER', /^refund_amount must/);
  const { reply, opened } = await callSealed(wished);
  assertRefunded({ ...reply, body: opened }, started.body.transaction_id, {
    refund_request_id: 'sealed',
    transaction_type: 'full_refund',
  });
});

test('the invariants hold after all of this', assertSound);

/** The whole reply; gives the refund's own id. */
function assertRefunded({ status, body }: Reply, paymentId: string, expected: object): string {
  assert.equal(status, 200, JSON.stringify(body));
  const { transaction_id, refund_status, refund_arn, ...others } = body;
  assert.match(transaction_id, /^o_[0-9A-Za-z]{16}-\d{12}$/);
  assert.notEqual(transaction_id, paymentId);
  assert.match(refund_status, /^(pending|succeeded)$/);
  assert.ok(refund_arn === null || refund_status === 'succeeded', String(refund_arn));
  assert.deepEqual(others, {
    orignal_payment_transaction_id: paymentId,
    original_payment_transaction_id: paymentId,
    next: [{ action: 'refund_enquiry', url: '/api/v3/transaction-enquiry' }],
    ...expected,
  });
  return transaction_id;
}

/** What the provider has stored under our refund id. */
function ledgerOf(refundId: string) {
  return simulator
    .ledger()
    .refunds.filter(({ reference }) => reference === refundId)
    .map(({ amount, currency, status }) => ({ amount, currency, status }));
}

function details(total: number, refunded: number, available: number) {
  return {
    refundable_currency: 'INR',
    available_refundable_amount: available,
    refunded_amount: refunded,
    total_refundable_amount: total,
  };
}

async function paidAtSecondTry() {
  const invoiceId = 'second-try';
  const call = (path: string, body: object) =>
    service.call(`/api/v3/${path}`, { token: shop.token, body });
  const created = await call('create-order', orderBody({ invoice_id: invoiceId }));
  const { order_id } = created.body;
  let transactionId = '';
  for (const action of ['decline', 'pay'] as const) {
    const wished = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
    const { body } = await call('initiate-payment', wished);
    await simulator.pay(await findCheckout(body.next[0].url), action);
    await simulator.settled();
    transactionId = body.transaction_id;
  }
  return { orderId: order_id as string, transactionId, invoiceId };
}

async function refundAtPartner(paymentId: string): Promise<number> {
  const credentials = `${shop.partnerKeyId}:partner_key_secret_journey`;
  const response = await fetch(`${simulator.url}/v1/payments/${paymentId}/refund`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: '{}',
  });
  return response.status;
}
