/** What consumers and merchants do with an order, one random step at a time. */
import assert from 'node:assert/strict';
import { pick, pickWeighted } from '../../../simulator/random.ts';
import type { Scenario } from '../../../simulator/scenario.ts';
import type { LedgerPayment } from '../../../simulator/simulator.ts';
import {
  type AskedRefund,
  callAs,
  type LedgerOrder,
  type LedgerStage,
  toMajor,
} from './ledger-order.ts';

const startsMax = 3;

export async function takeStep(stage: LedgerStage, order: LedgerOrder): Promise<void> {
  await steps[pickWeighted(order.random, stepsFor(stage, order))](stage, order);
}

type Step = keyof typeof steps;

/** Mostly what an order needs next, and sometimes anything else. */
function stepsFor(stage: LedgerStage, { orderId, starts }: LedgerOrder): [Step, number][] {
  const { simulator } = stage.provider;
  const isPaid = capturedOf(stage, orderId).length > 0;
  const isOpen = simulator.checkoutsOf(orderId).length > 0;
  const canPay = starts > 0 && isOpen;
  return [
    ['start', isPaid ? 6 : canPay ? 15 : 90],
    ['pay', canPay ? (isPaid ? 14 : 80) : 0],
    ['refund', isPaid ? 45 : 0],
    ['repeatRefund', isPaid ? 20 : 0],
    ['refundElsewhere', isPaid ? 7 : 0],
    ['enquire', 3],
    ['wait', 6],
  ];
}

const steps = {
  start: startPayments,
  pay,
  refund: askForRefund,
  repeatRefund,
  refundElsewhere,
  enquire: async (stage: LedgerStage, order: LedgerOrder) => void (await enquire(stage, order)),
  wait: async () => undefined,
};

/** Some consumers open two tabs. */
async function startPayments(stage: LedgerStage, order: LedgerOrder): Promise<void> {
  if (order.starts >= startsMax) return;
  const tabs = order.random() < 0.3 ? 2 : 1;
  for (let tab = 0; tab < tabs; tab += 1) await startPayment(stage, order);
}

/** Half of the starts have a key, and some of these are sent twice. */
async function startPayment(stage: LedgerStage, order: LedgerOrder): Promise<void> {
  const { random, shop, orderId, name } = order;
  order.starts += 1;
  const key = random() < 0.5 ? `${name} payment ${order.starts}` : undefined;
  const mode = pick(random, ['upi', 'credit_card']);
  const body = { order_id: orderId, payment_mode_code: mode };
  const copies = key !== undefined && random() < 0.3 ? 2 : 1;
  const replies = await Promise.all(
    Array.from({ length: copies }, () => callAs(stage, shop, 'initiate-payment', body, key)),
  );
  for (const { status, body: reply } of replies) {
    // The order may have been completed or have lapsed.
    assert.ok(status === 200 || status === 409, JSON.stringify(reply));
  }
  const ids = replies.map(({ body: reply }) => reply.transaction_id);
  assert.equal(new Set(ids).size, 1, 'a repeat with its key starts no second payment');
}

/** Also at a page that the service does not know yet, because the answer with it was lost. */
async function pay({ provider }: LedgerStage, { random, orderId }: LedgerOrder): Promise<void> {
  const [first, ...others] = provider.simulator.checkoutsOf(orderId);
  if (first === undefined) return;
  const action = pickWeighted(random, [
    ['pay', 75],
    ['decline', 15],
    ['cancel', 10],
  ] as const);
  await provider.simulator.pay(pick(random, [first, ...others]), action);
}

async function askForRefund(stage: LedgerStage, order: LedgerOrder): Promise<void> {
  const { random, name, asked, invoiceId } = order;
  const payment = pickCaptured(stage, order);
  if (!payment) return;
  const amount = amountToAsk(random(), random(), payment.amount);
  const requestId = `${name.replace(' ', '-')}-R${asked.length + 1}`;
  const isByInvoice = random() < 0.2;
  const wished: AskedRefund = {
    requestId,
    amount,
    body: {
      ...(isByInvoice ? { invoice_id: invoiceId } : { transaction_id: payment.reference }),
      ...(amount !== undefined && { refund_amount: toMajor(amount) }),
      refund_request_id: requestId,
    },
    key: random() < 0.4 ? `${name} refund ${requestId}` : undefined,
    refundIds: new Set(),
  };
  asked.push(wished);
  await send(stage, order, wished, random() < 0.3 ? 3 : 1);
}

/** Everything, a part, or too much. */
function amountToAsk(luck: number, share: number, paid: number): number | undefined {
  if (luck < 0.25) return undefined;
  return luck < 0.9 ? Math.max(1, Math.floor(share * paid)) : paid + 1;
}

async function repeatRefund(stage: LedgerStage, order: LedgerOrder): Promise<void> {
  const [first, ...others] = order.asked;
  if (first) await send(stage, order, pick(order.random, [first, ...others]), 1);
}

async function send(
  stage: LedgerStage,
  { shop }: LedgerOrder,
  { body, key, refundIds }: AskedRefund,
  copies: number,
): Promise<void> {
  const replies = await Promise.all(
    Array.from({ length: copies }, () => callAs(stage, shop, 'refund', body, key)),
  );
  for (const { status, body: reply } of replies) {
    // The service may not know the payment yet, or there is less left of it. A repeat is no conflict.
    assert.ok(status === 200 || status === 422, JSON.stringify(reply));
    if (status === 200) refundIds.add(reply.transaction_id);
  }
}

async function refundElsewhere(stage: LedgerStage, order: LedgerOrder): Promise<void> {
  const { provider } = stage;
  const { random, scenario } = order;
  const payment = pickCaptured(stage, order);
  if (!payment) return;
  const { id, amount } = payment;
  const isSilent = random() < 0.5 && areRefundsPrompt(scenario);
  const isAll = !isSilent && random() < 0.4;
  const share = isAll ? amount : Math.ceil((random() * amount) / 2);
  const isMade = await provider.refundElsewhere(id, share, isSilent);
  // The provider reports the sum of both.
  if (isSilent && isMade) await provider.refundElsewhere(id, 1, false);
}

/** A payment of the order that the provider has captured; the service may not know it yet. */
function pickCaptured(
  stage: LedgerStage,
  { random, orderId }: LedgerOrder,
): LedgerPayment | undefined {
  const [first, ...others] = capturedOf(stage, orderId);
  return first && pick(random, [first, ...others]);
}

function capturedOf({ provider }: LedgerStage, orderId: string): LedgerPayment[] {
  return provider.simulator
    .ledger()
    .payments.filter(
      ({ reference, status }) => reference.startsWith(orderId) && status === 'captured',
    );
}

/** Whether the second of two refunds is made if the first one is. */
function areRefundsPrompt({ behaviour }: Scenario): boolean {
  return behaviour?.refund === 'processed' || behaviour?.refund === 'second-part-declined';
}

export async function enquire(stage: LedgerStage, { shop, orderId }: LedgerOrder) {
  const { status, body } = await callAs(stage, shop, 'transaction-enquiry', { order_id: orderId });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
