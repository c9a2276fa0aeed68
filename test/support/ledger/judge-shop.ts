/** Compares the overview of a shop and its exported orders with what is true of them. */

import { commandLine } from '../../../src/domain/audit.ts';
import { exportOrders } from '../../../src/use-cases/orders/export-orders.ts';
import { getOverview } from '../../../src/use-cases/reports/get-overview.ts';
import { readCsv } from '../read-csv.ts';
import { type LedgerOrder, type LedgerShop, type LedgerStage, toMajor } from './ledger-order.ts';
import type { Truth } from './truth.ts';

export type JudgedOrder = { readonly order: LedgerOrder; readonly truth: Truth };

export async function judgeShop(
  stage: LedgerStage,
  shop: LedgerShop,
  judged: readonly JudgedOrder[],
): Promise<string[]> {
  return [
    ...(await judgeOverview(stage, shop, judged)),
    ...(await judgeExport(stage, shop, judged)),
  ];
}

async function judgeOverview(
  { service: { services } }: LedgerStage,
  { account: { accountId } }: LedgerShop,
  judged: readonly JudgedOrder[],
): Promise<string[]> {
  const now = services.clock().getTime();
  const dayMs = 24 * 3_600_000;
  const { totals } = await getOverview(services, accountId, {
    from: new Date(now - 30 * dayMs),
    to: new Date(now + dayMs),
    bucket: 'day',
    offsetMinutes: 0,
  });
  const completed = judged.filter(({ truth }) => truth.isCompleted);
  const totalOf = (orders: readonly JudgedOrder[]) => orders.map(({ order }) => order.total);
  const expected = {
    created: { orders: judged.length, payments: 0, amount: add(totalOf(judged)) },
    completed: { orders: completed.length, payments: 0, amount: add(totalOf(completed)) },
    paid: figureOf(judged, ({ payments }) => payments.map(({ captured }) => captured)),
    refunded: figureOf(judged, ({ refunds }) => refunds.map(({ moved }) => moved)),
  };
  return (['created', 'completed', 'paid', 'refunded'] as const).flatMap((name) => {
    const { orders = 0, payments = 0, amount = 0n } = totals[name][0] ?? {};
    const shown = JSON.stringify({ orders, payments, amount: Number(amount) });
    const right = JSON.stringify(expected[name]);
    return shown === right ? [] : [`the overview has ${name} ${shown}, not ${right}`];
  });
}

/** The orders with such amounts, how many amounts there are, and their sum. */
function figureOf(judged: readonly JudgedOrder[], amountsOf: (truth: Truth) => readonly number[]) {
  const amounts = judged.map(({ truth }) => amountsOf(truth).filter((amount) => amount > 0));
  return {
    orders: amounts.filter(({ length }) => length > 0).length,
    payments: amounts.flat().length,
    amount: add(amounts.flat()),
  };
}

async function judgeExport(
  { service: { services } }: LedgerStage,
  { account: { accountId } }: LedgerShop,
  judged: readonly JudgedOrder[],
): Promise<string[]> {
  let text = '';
  const all = { filter: {}, isMasked: true };
  for await (const part of await exportOrders(services, commandLine, accountId, all)) text += part;
  const [titles = [], ...lines] = readCsv(text);
  const shown = new Map(
    lines.map((cells) => {
      const row = Object.fromEntries(titles.map((title, index) => [title, cells[index]]));
      return [row.order_id, `${row.status} ${row.paid_amount} ${row.refunded_amount}`];
    }),
  );
  return judged.flatMap(({ order: { name, orderId }, truth }) => {
    const paid = add(truth.payments.map(({ captured }) => captured));
    const refunded = add(truth.refunds.map(({ moved }) => moved));
    const status = truth.isCompleted ? 'completed' : 'lapsed';
    const right = `${status} ${toMajor(paid)} ${toMajor(refunded)}`;
    const is = shown.get(orderId);
    return is === right ? [] : [`${name}: the export has ${is}, not ${right}`];
  });
}

function add(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0);
}
