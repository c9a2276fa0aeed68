/** Captures and voids that the shop requests at the gateway. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ScenarioName, SimulatorOptions } from '../../simulator/simulator.ts';
import { gatewayPath, type Json, noticesOf, onlyPayment, startShop } from './support.ts';

const orderId = 'o_1-260101000000';
const held = { id: `${orderId}|1`, status: 'authorized', amount: 1050, captured: 0 };

test('a session that authorizes only reserves; a capture answers the record that is notified', async (t) => {
  const { simulator, receiver, gateway, capture } = await hold(t);
  assert.deepEqual(paymentOf(simulator), held);
  assert.deepEqual(simulator.moved(), []);
  const { status, body } = await capture('c-1', '10.50');
  assert.equal(status, 201);
  const { id, type, amount, targetTransactionId } = body.transaction as Json;
  assert.deepEqual([id, type, amount, targetTransactionId], ['c-1', 'CAPTURE', 10.5, '1']);
  assert.deepEqual([body.result, body.gatewayEntryPoint], ['SUCCESS', 'WEB_SERVICES_API']);
  await simulator.settled();
  assert.deepEqual(noticesOf(receiver.received), [
    'AUTHENTICATION SUCCESS auth-1',
    'AUTHORIZATION SUCCESS 1',
    'CAPTURE SUCCESS c-1',
  ]);
  const read = await gateway('GET', `${gatewayPath}/order/${orderId}/transaction/c-1`);
  assert.deepEqual(read.body, body);
  assert.deepEqual(paymentOf(simulator), { ...held, status: 'captured', captured: 1050 });
});

test('several captures take what is authorized, and never more', async (t) => {
  const { simulator, capture, refundAtGateway } = await hold(t);
  assert.equal((await capture('c-1', '10.51')).status, 400);
  assert.equal((await capture('c-2', '6.30')).status, 201);
  assert.deepEqual(paymentOf(simulator), { ...held, captured: 630 });
  const { status, body } = await capture('c-3', '4.21');
  assert.deepEqual(
    [status, (body.error as Json).explanation],
    [400, 'Requested capture amount exceeds outstanding authorized amount.'],
  );
  assert.equal((await capture('c-4', '4.20', {})).status, 201);
  assert.equal((await capture('c-5', '0.01')).status, 400);
  assert.deepEqual(paymentOf(simulator), { ...held, status: 'captured', captured: 1050 });
  const refund = (target: string) =>
    refundAtGateway(orderId, `r-${target}`, '4.20', { targetTransactionId: target });
  assert.equal((await refund('c-4')).status, 201);
  assert.equal((await refund('1')).status, 400);
  assert.deepEqual(
    simulator.moved().map(({ kind, amount, paymentId }) => [kind, amount, paymentId]),
    [
      ['captured', 630, held.id],
      ['captured', 420, held.id],
      ['refunded', 420, held.id],
    ],
  );
});

test('a repeat gets the first result, other content is refused, and both are counted', async (t) => {
  const { simulator, capture, release } = await hold(t);
  const first = await capture('c-1', '6.30');
  assert.deepEqual((await capture('c-1', '6.30')).body, first.body);
  assert.equal((await capture('c-1', '4.20')).status, 400);
  const second = await release('v-1', '1');
  assert.deepEqual((await release('v-1', '1')).body, second.body);
  assert.equal((await release('c-1', '1')).status, 400);
  const counts = { provider: 'bank-gateway', reference: orderId };
  assert.deepEqual(simulator.calls(), [
    { ...counts, operation: 'start-payment', arrived: 1, made: 1 },
    { ...counts, operation: 'start-capture', arrived: 3, made: 1 },
    { ...counts, operation: 'start-void', arrived: 3, made: 1 },
  ]);
  const read = await fetch(`${simulator.url}/simulator/calls`);
  assert.deepEqual(await read.json(), simulator.calls());
});

test('a void frees what is left, of a capture returns it, and never twice', async (t) => {
  const { simulator, capture, release } = await hold(t);
  await capture('c-1', '6.30');
  const rest = await release('v-1', '1');
  const { type, amount } = rest.body.transaction as Json;
  assert.deepEqual([rest.status, type, amount], [201, 'VOID_AUTHORIZATION', 4.2]);
  assert.equal((await capture('c-2', '0.01')).status, 400);
  assert.deepEqual(paymentOf(simulator), {
    ...held,
    status: 'captured',
    amount: 630,
    captured: 630,
  });
  const back = await release('v-2', 'c-1');
  assert.deepEqual((back.body.transaction as Json).type, 'VOID_CAPTURE');
  assert.deepEqual(paymentOf(simulator), { ...held, status: 'reversed' });
  for (const target of ['1', 'c-1', 'auth-1', 'none']) {
    assert.equal((await release(`again-${target}`, target)).status, 400, target);
  }
  assert.equal((await release('v-3', undefined)).status, 400);
  assert.deepEqual(
    simulator.moved().map(({ kind, amount: moved, paymentId }) => [kind, moved, paymentId]),
    [
      ['captured', 630, held.id],
      ['returned', 630, held.id],
    ],
  );
});

test('what a voided capture took can be captured again', async (t) => {
  const { simulator, capture, release } = await hold(t);
  await capture('c-1', '10.50');
  assert.equal((await release('v-1', '1')).status, 400);
  await release('v-2', 'c-1');
  assert.deepEqual(paymentOf(simulator), held);
  assert.equal((await capture('c-2', '10.50')).status, 201);
  assert.deepEqual(paymentOf(simulator), { ...held, status: 'captured', captured: 1050 });
});

test('a capture with a refund cannot be voided, and a payment in one step can', async (t) => {
  const { simulator, openSession, capture, release, refundAtGateway } = await hold(t);
  await capture('c-1', '10.50');
  await refundAtGateway(orderId, 'r-1', '0.01');
  assert.equal((await release('v-1', 'c-1')).status, 400);
  const other = 'o_2-260101000000';
  await simulator.pay(await openSession(other));
  const { status, body } = await release('v-1', '1', other);
  assert.deepEqual([status, (body.transaction as Json).type], [201, 'VOID_PAYMENT']);
  const paid = simulator.ledger().payments.find(({ reference }) => reference === other);
  assert.equal(paid?.status, 'reversed');
});

const courses: readonly (readonly [ScenarioName, readonly string[]])[] = [
  ['capture-declined', ['FAILURE']],
  ['capture-pending', ['PENDING', 'SUCCESS']],
  ['capture-declined-late', ['PENDING', 'FAILURE']],
];

for (const [name, results] of courses) {
  test(`${name}: a capture is ${results.join(', then ')}, and so is a void`, async (t) => {
    const { simulator, receiver, capture, release } = await hold(t, {
      scenario: { name, delayMs: 200 },
    });
    assert.equal((await capture('c-1', '6.30')).body.result, results[0]);
    // What is pending is reserved.
    const isPending = results[0] === 'PENDING';
    assert.equal((await capture('c-2', '4.21')).status, isPending ? 400 : 201);
    assert.equal((await release('v-1', '1')).body.result, results[0]);
    assert.equal((await capture('c-3', '0.01')).status, isPending ? 400 : 201);
    await simulator.settled();
    const seen = noticesOf(receiver.received).map((notice) => notice.split(' '));
    const resultsOf = (id: string) => seen.flatMap(([, result, of]) => (of === id ? [result] : []));
    assert.deepEqual(resultsOf('c-1'), results);
    assert.deepEqual(resultsOf('v-1'), results);
    const isMade = results.at(-1) === 'SUCCESS';
    const made = { ...held, status: 'captured', amount: 630, captured: 630 };
    assert.deepEqual(paymentOf(simulator), isMade ? made : held);
    assert.equal(simulator.moved().length, isMade ? 1 : 0);
  });
}

test('a capture that is being voided cannot be refunded', async (t) => {
  const { capture, release, refundAtGateway, simulator } = await hold(t);
  await capture('c-1', '10.50');
  simulator.setScenario({ name: 'capture-pending', delayMs: 200 });
  assert.equal((await release('v-1', 'c-1')).body.result, 'PENDING');
  assert.equal((await refundAtGateway(orderId, 'r-1', '0.01')).status, 400);
});

test('faults apply to captures and voids: answers are lost, and a repeat finds what was made', async (t) => {
  const { simulator, capture, release } = await hold(t);
  simulator.setScenario({ name: 'answer-lost', times: 2 });
  for (const call of [() => capture('c-1', '6.30'), () => release('v-1', '1')]) {
    await assert.rejects(call());
    await assert.rejects(call(), /JSON/);
    assert.equal((await call()).status, 201);
  }
  simulator.setScenario({ name: 'provider-down', times: 1 });
  await assert.rejects(release('v-2', 'c-1'));
  assert.equal(simulator.moved().length, 1);
  assert.deepEqual(
    simulator.calls().map(({ operation, arrived, made }) => [operation, arrived, made]),
    [
      ['start-payment', 1, 1],
      ['start-capture', 3, 1],
      ['start-void', 4, 1],
    ],
  );
});

test('a hold that expired is not reported; a capture of it is declined', async (t) => {
  const { simulator, receiver, capture } = await hold(t);
  await capture('c-1', '6.30');
  assert.equal(await simulator.holds.expire(held.id), true);
  assert.equal((await capture('c-2', '4.20')).body.result, 'FAILURE');
  await simulator.settled();
  assert.deepEqual(noticesOf(receiver.received).slice(2), [
    'CAPTURE SUCCESS c-1',
    'CAPTURE FAILURE c-2',
  ]);
  const captured = { ...held, status: 'captured', amount: 630, captured: 630 };
  assert.deepEqual(paymentOf(simulator), captured);
});

test('a hold without a capture that expired still looks authorized', async (t) => {
  const { simulator } = await hold(t);
  await simulator.holds.expire(held.id);
  assert.deepEqual(paymentOf(simulator), held);
});

test('late-success: a capture after an approval that came late moves money that had failed', async (t) => {
  const { simulator, capture } = await hold(t, { scenario: { name: 'late-success' } });
  await simulator.settled();
  await capture('c-1', '10.50');
  assert.deepEqual(
    simulator.moved().map(({ kind, isAfterFailure }) => [kind, isAfterFailure]),
    [['captured', true]],
  );
});

test('a tester captures a part and voids the rest on the gateway’s own pages', async (t) => {
  const { simulator, capture } = await hold(t);
  assert.equal(await simulator.holds.capture(held.id, 1051), false);
  assert.equal(await simulator.holds.capture(held.id, 630), true);
  assert.equal((await capture('c-1', '10.50')).status, 400);
  assert.equal(await simulator.holds.void(held.id), true);
  assert.equal(await simulator.holds.void(held.id), false);
  assert.equal(await simulator.holds.capture(held.id), false);
  assert.equal(paymentOf(simulator).captured, 630);
  assert.equal(await simulator.holds.expire('none'), false);
});

test('scenarios of the gateway’s own steps end where the shop was faster', async (t) => {
  for (const name of ['release', 'void', 'void-and-capture-again', 'partial-capture'] as const) {
    const { simulator, receiver, capture } = await hold(t, { scenario: { name, delayMs: 300 } });
    assert.equal((await capture('c-1', '10.50')).status, 201);
    await simulator.settled();
    assert.deepEqual(noticesOf(receiver.received).slice(2), ['CAPTURE SUCCESS c-1'], name);
    assert.deepEqual(paymentOf(simulator), { ...held, status: 'captured', captured: 1050 }, name);
  }
});

test('void: what is only authorized is no payment, so the scenario does not void it', async (t) => {
  const { simulator } = await hold(t, { scenario: { name: 'void' } });
  await simulator.settled();
  assert.deepEqual(paymentOf(simulator), held);
});

test('chargeback: what the shop captures in parts is claimed once', async (t) => {
  const disputes = [{ share: 0.5, steps: ['lost'] as const }];
  const scenario = { name: 'chargeback', behaviour: { disputes } } as const;
  const { simulator, capture } = await hold(t, { scenario });
  await simulator.settled();
  assert.deepEqual(simulator.ledger().disputes, []);
  await capture('c-1', '6.30');
  await capture('c-2', '4.20');
  await simulator.settled();
  assert.deepEqual(
    simulator.ledger().disputes.map(({ paymentId, amount }) => [paymentId, amount]),
    [[held.id, 315]],
  );
});

test('control calls act on a hold, and say what is wrong; the page offers them', async (t) => {
  const { simulator } = await hold(t);
  const url = `${simulator.url}/simulator/holds`;
  const send = async (fields: Json) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(fields) });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const page = async () => (await fetch(simulator.url)).text();
  assert.match(await page(), /value="capture".*value="void".*value="expire"/);
  for (const wrong of [
    { payment_id: 'none', step: 'capture' },
    { payment_id: held.id, step: 'refund' },
    { payment_id: held.id, step: 'capture', amount: '-1' },
    { payment_id: held.id, step: 'capture', amount: '10.51' },
  ]) {
    const { status, body } = await send(wrong);
    assert.equal(status, 400);
    assert.match(`${body.error}`, / .*\.$/);
  }
  const captured = await send({ payment_id: held.id, step: 'capture', amount: '6.30' });
  assert.deepEqual([captured.status, captured.body.captured], [200, 630]);
  const form = new URLSearchParams({ payment_id: held.id, amount: '', step: 'void' });
  const voided = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  assert.deepEqual([voided.status, voided.headers.get('location')], [303, '/']);
  assert.doesNotMatch(await page(), /value="capture"/);
});

/** A payment that waits for the shop's capture. */
async function hold(t: TestContext, options: SimulatorOptions = {}) {
  const shop = await startShop(t, options);
  await shop.simulator.pay(await shop.openSession(orderId, {}, 'AUTHORIZE'));
  await shop.receiver.until(2);
  const put = (id: string, body: Json, order = orderId) =>
    shop.gateway('PUT', `${gatewayPath}/order/${order}/transaction/${id}`, body);
  return {
    ...shop,
    capture: (id: string, amount: string, target: Json = { targetTransactionId: '1' }) =>
      put(id, { apiOperation: 'CAPTURE', transaction: { amount, currency: 'INR', ...target } }),
    release: (id: string, targetTransactionId: string | undefined, order?: string) =>
      put(id, { apiOperation: 'VOID', transaction: { targetTransactionId } }, order),
  };
}

function paymentOf(simulator: Parameters<typeof onlyPayment>[0]) {
  const { id, status, amount, captured } = onlyPayment(simulator);
  return { id, status, amount, captured };
}
