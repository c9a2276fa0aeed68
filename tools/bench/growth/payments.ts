/**
 * Payments of one order: what one more webhook costs when its order has 1, 100 or nearly 1,000 payments, and when it is
 * full. A shop that sends the same `notes.invoice_id` with every payment makes such orders. The payments arrive over
 * HTTP, so that the orders are what the service makes of them.
 */
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import { capturedWebhook } from '../../harness/captured-webhook.ts';
import type { Request } from '../../harness/send.ts';
import { type MadeOrder, makeOrders, ownName } from '../requests.ts';
import { sendEach } from '../send-each.ts';
import { type Cost, measureEach, measureInTurn, measureLoad } from './cost.ts';
import { kinds } from './kinds.ts';
import type { Sizes } from './options.ts';
import { type Row, tableOf } from './results.ts';
import { type Stage, shopOf, withStage } from './stage.ts';

/** Each order gets one more payment in each round. */
const ordersOfSize = 8;
const rounds = 16;
/** To one order, while webhooks for other orders are measured. */
const busy = { webhooks: 40, perSecond: 20, connections: 2 };
const besideRounds = 4;
const fillConnections = 64;
const attemptsMax = 10;
const secondsMax = 1_800;
/** Of every payment but the first: the order is paid already. */
const answer = 'needs_review';

type Sized = {
  readonly payments: number;
  readonly orders: readonly MadeOrder[];
  /** The payments of each order so far; they set ids and times apart. */
  readonly sent: Map<MadeOrder, number>;
};

/** So far below the limit that all measured payments still fit. */
const nearLimit = paymentLimits.transactionsMax - rounds - busy.webhooks - 2;

export async function measurePayments({ payments }: Sizes): Promise<string> {
  let text = '';
  await withStage(
    'payments',
    async ({ shops }) => ({ shops }),
    async (stage) => {
      const one = await makeSized(stage, 1);
      const hundred = await makeSized(stage, 100);
      const many = await makeSized(stage, Math.min(payments, nearLimit));
      const growing = await measureSizes(stage, [one, hundred, many]);
      const atLimit =
        payments < paymentLimits.transactionsMax ? none : await measureFull(stage, many);
      text = describe([...growing.alone, ...atLimit.alone], [...growing.beside, ...atLimit.beside]);
    },
  );
  return text;
}

type Rows = { readonly alone: readonly Row[]; readonly beside: readonly Row[] };
const none: Rows = { alone: [], beside: [] };

/** Against new orders with one payment, because the first ones have more by now. */
async function measureFull(stage: Stage, many: Sized): Promise<Rows> {
  const one = await makeSized(stage, 1);
  return measureSizes(stage, [one, await growTo(stage, many, paymentLimits.transactionsMax)]);
}

async function measureSizes(stage: Stage, all: readonly Sized[]): Promise<Rows> {
  const alone = await measureInTurn(
    rounds,
    casesOf(all, (sized) => measureOneMore(stage, sized)),
  );
  const beside = await measureInTurn(
    besideRounds,
    casesOf(all, (sized, round) => measureBeside(stage, sized, round)),
  );
  for (const sized of all) await checkTransactions(stage, sized);
  return { alone: rowsOf(all, alone), beside: rowsOf(all, beside) };
}

async function makeSized(stage: Stage, payments: number): Promise<Sized> {
  const { database, service } = stage;
  const orders = await makeOrders(database, service.url, shopOf(stage), ordersOfSize);
  return growTo(stage, { payments: 0, orders, sent: new Map() }, payments);
}

async function growTo(stage: Stage, small: Sized, payments: number): Promise<Sized> {
  const sized = { ...small, payments };
  // One order after the other, so that many payments of one order share a batch.
  let toSend: readonly Request[] = sized.orders.flatMap((order) =>
    Array.from({ length: payments - (sized.sent.get(order) ?? 0) }, () =>
      nextPayment(stage, sized, order),
    ),
  );
  const startedAt = performance.now();
  for (let attempt = 1; toSend.length > 0 && attempt <= attemptsMax; attempt += 1) {
    const sending = { requests: toSend, connections: fillConnections, secondsMax };
    // Like a provider, which repeats what was not answered 2xx.
    toSend = (await sendEach(stage.service.url, sending)).failed;
  }
  await checkTransactions(stage, sized);
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${ordersOfSize} orders with ${payments} payments in ${seconds.toFixed(0)} s`);
  return sized;
}

/** A payment that found no order, or a full one too early, would be cheaper than what is measured. */
async function checkTransactions(stage: Stage, { orders, sent }: Sized): Promise<void> {
  const { rows } = await stage.database.query<{ count: number }>({
    text: `select count(*)::integer as count from transactions
            where account_id = $1 and order_id = any($2::text[])`,
    values: [shopOf(stage).accountId, orders.map(({ orderId }) => orderId)],
  });
  const expected = orders.reduce(
    (sum, order) => sum + Math.min(sent.get(order) ?? 0, paymentLimits.transactionsMax),
    0,
  );
  if (rows[0]?.count !== expected) {
    throw new Error(`the orders have ${rows[0]?.count} payments instead of ${expected}`);
  }
}

function nextPayment(stage: Stage, { sent }: Sized, order: MadeOrder): Request {
  const number = sent.get(order) ?? 0;
  sent.set(order, number + 1);
  const name = `${ownName(order.orderId)}${number}`;
  return capturedWebhook(shopOf(stage), name, { invoice_id: order.invoiceId }, number);
}

function measureOneMore(stage: Stage, sized: Sized): Promise<Cost> {
  const requests = sized.orders.map((order) => nextPayment(stage, sized, order));
  // Few connections: with many, one batch would hold payments of many such orders.
  return measureEach(stage.service, { requests, connections: 4, secondsMax }, answer);
}

/** A different order each time, because all of its webhooks go to this one. */
async function measureBeside(stage: Stage, sized: Sized, round: number): Promise<Cost> {
  const order = sized.orders[round];
  const webhook = kinds['partner webhook'];
  if (!order || !webhook) throw new Error('there are too few orders');
  const next = await webhook(stage);
  const requests = Array.from({ length: busy.webhooks }, () => nextPayment(stage, sized, order));
  const sending = sendEach(stage.service.url, { ...busy, requests, secondsMax });
  const cost = await measureLoad(stage.service, next);
  const { answers } = await sending;
  const unexpected = requests.length - (answers.get(answer) ?? 0);
  return { ...cost, refused: cost.refused + unexpected };
}

function casesOf(
  all: readonly Sized[],
  run: (sized: Sized, round: number) => Promise<Cost>,
): Record<string, (round: number) => Promise<Cost>> {
  return Object.fromEntries(
    all.map((sized) => [String(sized.payments), (round: number) => run(sized, round)] as const),
  );
}

function rowsOf(
  [first, ...others]: readonly Sized[],
  costs: Readonly<Record<string, Cost>>,
): Row[] {
  const base = costs[String(first?.payments)];
  return others.flatMap(({ payments }) => {
    const grown = costs[String(payments)];
    return base && grown ? [{ what: `${payments} payments`, base, grown }] : [];
  });
}

function describe(alone: readonly Row[], beside: readonly Row[]): string {
  return `an order with many payments against one with a single payment, ${ordersOfSize} orders of each, 4 connections.
At the limit of ${paymentLimits.transactionsMax} a further payment is stored as \`needs_review\` and changes nothing.

${tableOf('1 payment', 'many', alone)}

Webhooks for other orders at 64 connections, while one order of that size gets ${busy.perSecond} payments a second. Their CPU is
part of it.

${tableOf('beside 1 payment', 'beside many', beside)}`;
}
