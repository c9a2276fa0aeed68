/** The arguments of `npm run bench:growth`: which parts to measure, and how large the large cases are. */
import { parseArgs } from 'node:util';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';

export type Sizes = {
  readonly smallOrders: number;
  readonly orders: number;
  readonly unmatched: number;
  readonly accounts: number;
  readonly flood: number;
  /** Of the largest order. */
  readonly payments: number;
};

/** In the order in which they are measured: the longest last. */
export const partNames = [
  ...(['payments', 'unmatched', 'flood', 'accounts'] as const),
  ...(['polls', 'orders', 'verify'] as const),
] as const;

export type PartName = (typeof partNames)[number];

const full = { orders: 10_000_000, unmatched: 1_000_000, accounts: 10_000, flood: 20_000 };
const paymentsMax = paymentLimits.transactionsMax;
const smallOrders = 10_000;

/** `--orders` scales `--unmatched` and `--accounts` with it, unless they are given too. */
export function readOptions(words: readonly string[]): {
  readonly parts: readonly PartName[];
  readonly sizes: Sizes;
} {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      orders: { type: 'string' },
      unmatched: { type: 'string' },
      accounts: { type: 'string' },
      flood: { type: 'string' },
      payments: { type: 'string' },
    },
  });
  const orders = readCount('orders', values.orders) ?? full.orders;
  const scaled = (count: number) => Math.max(1, Math.round((count * orders) / full.orders));
  const unmatched = readCount('unmatched', values.unmatched) ?? scaled(full.unmatched);
  const accounts = readCount('accounts', values.accounts) ?? scaled(full.accounts);
  const flood = readCount('flood', values.flood) ?? full.flood;
  const payments = Math.min(readCount('payments', values.payments) ?? paymentsMax, paymentsMax);
  for (const word of positionals) {
    if (!partNames.some((name) => name === word)) {
      throw new Error(`There is no part "${word}". The parts are: ${partNames.join(', ')}.`);
    }
  }
  const parts = partNames.filter((name) => positionals.length === 0 || positionals.includes(name));
  return { parts, sizes: { smallOrders, orders, unmatched, accounts, flood, payments } };
}

function readCount(name: string, word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  const count = Number(word);
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`--${name} needs a count.`);
  return count;
}
