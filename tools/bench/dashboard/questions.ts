/** What the dashboard asks: the overview, lists with each filter, and searches, timed one after the other. */
import type { OrderFilter } from '../../../src/domain/orders/order-filter.ts';
import type { Database } from '../../../src/postgres/database.ts';
import type { AccountDirectory } from '../../../src/services/account-directory.ts';
import { listOrders } from '../../../src/use-cases/orders/list-orders.ts';
import { searchOrders } from '../../../src/use-cases/orders/search-orders.ts';
import { getOverview } from '../../../src/use-cases/reports/get-overview.ts';

export type Question = {
  readonly what: string;
  /** Returns what was found, in a few words. `round` makes each one a different question. */
  readonly ask: (round: number) => Promise<string>;
};

type Asked = {
  readonly database: Database;
  readonly accounts: AccountDirectory;
  readonly accountId: string;
  readonly orders: number;
};

const dayMs = 86_400_000;
const pageSize = 50;

const filters: ReadonlyArray<readonly [what: string, filter: OrderFilter]> = [
  ['no filter', {}],
  ['completed', { status: 'completed' }],
  ['lapsed', { status: 'lapsed' }],
  ['new (none)', { status: 'new' }],
  ['mode UPI', { payment: { mode: 'UPI' } }],
  ['mode Wallet (1 of 10,000)', { payment: { mode: 'Wallet' } }],
  ['a mode that never occurs', { payment: { mode: 'Pay Later' } }],
  ['a provider', { payment: { provider: 'partner' } }],
  ['failed for a reason', { payment: { failure: 'DECLINED_BY_BANK' } }],
  ['refunded (none)', { isRefunded: true }],
  ['an amount', { currency: 'INR', amountMin: 400_000 }],
  ['a rare amount (1 of 100,000)', { currency: 'INR', amountMin: 50_000_000 }],
  ['a flag (1 of 2,000)', { flag: 'amount_mismatch' }],
  ['a flag that never occurs', { flag: 'chargeback' }],
  [
    'a flag, completed, UPI',
    { flag: 'amount_mismatch', status: 'completed', payment: { mode: 'UPI' } },
  ],
];

export function listQuestions({ database, accounts, accountId, orders }: Asked): Question[] {
  const now = new Date();
  const services = { database, accounts, clock: () => now };
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs);
  const overview = (days: number, bucket: 'hour' | 'day'): Question => ({
    what: `overview of ${days} days by ${bucket}`,
    ask: async () => {
      const period = { from: daysAgo(days), to: now, bucket, offsetMinutes: 330 } as const;
      const { totals } = await getOverview(services, accountId, period);
      return `${totals.created[0]?.orders ?? 0} orders`;
    },
  });
  const list = (what: string, filter: OrderFilter, isOld: boolean): Question => ({
    what: isOld ? `list: ${what}, half a year ago` : `list: ${what}`,
    ask: async (round) => {
      const to = daysAgo(150 + (round % 60));
      const query = { filter: isOld ? { ...filter, to } : filter, limit: pageSize };
      const page = await listOrders(services, accountId, query);
      return `${page.orders.length} of ${page.lookedAt}`;
    },
  });
  const search = (what: string, textOf: (n: number) => string): Question => ({
    what: `search: ${what}`,
    ask: async (round) => {
      const text = textOf(1 + ((round * 7_919) % orders));
      const result = await searchOrders(services, accountId, { text, limit: pageSize });
      return `${result.orders.length} found`;
    },
  });
  return [
    overview(1, 'hour'),
    overview(31, 'hour'),
    overview(365, 'day'),
    ...filters.map(([what, filter]) => list(what, filter, false)),
    ...filters.map(([what, filter]) => list(what, filter, true)),
    search('invoice', (n) => `SHOP-${n}`),
    search('beginning of an invoice', (n) => `SHOP-${String(n).slice(0, 3)}`),
    search('e-mail', (n) => `consumer${n % 1_000_003}@example.com`),
    search('phone', (n) => `+91${9_000_000_000 + (n % 1_000_003)}`),
    search('nothing', (n) => `nothing-${n}`),
  ];
}

export async function timeQuestion({ what, ask }: Question, rounds: number) {
  const times: number[] = [];
  let found = '';
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    found = await ask(round);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { what, found, p50Ms: at(0.5), p99Ms: at(0.99) };
}
