/**
 * Checks the invariants on the live database. Contract 9. It walks through the tables one after the other, a page at a
 * time, so that it needs little memory, can report how far it is, and can continue from there later.
 */
import type { Services } from '../../services/services.ts';
import {
  type CheckedRows,
  checkDeliveries,
  checkReferences,
  deliveryKey,
  findMissingConstraints,
  type RowKey,
  type RowsAfter,
  references,
} from '../../store/upkeep/invariants.ts';
import { checkFigures } from './check-figures.ts';
import { checkOrders } from './check-orders.ts';
import { type CheckedPage, invariants, type NamedBreach, nameBreaches } from './invariant-names.ts';

type VerifyOptions = {
  /** Continues behind this cursor; what is before it is not checked again. */
  readonly after?: VerifyCursor | undefined;
  /** Checks the rows of one account only. */
  readonly accountId?: string | undefined;
  /** Called after every page. */
  readonly onPage?: (progress: VerifyProgress) => void;
  /** All breaches are counted, and the first of them are kept. */
  readonly breachesKept?: number;
  /** Called with each breach that is kept. */
  readonly onBreach?: (breach: NamedBreach) => void;
  /** Ends the check after the page at hand. */
  readonly signal?: AbortSignal;
};

export type VerifyProgress = {
  readonly table: string;
  /** As text, for `after`. */
  readonly cursor: string;
  /** The rows of the current table that were checked. */
  readonly rows: number;
  readonly breaches: number;
};

export type Verified = Awaited<ReturnType<typeof verifyInvariants>>;

/** A database that is broken everywhere must not fill the memory. */
const breachesKeptUsually = 1_000;

/** `next` says where to continue when the check was interrupted; it is null when the check is complete. */
export async function verifyInvariants(
  services: Pick<Services, 'database' | 'clock'>,
  options: VerifyOptions = {},
) {
  const findings = createFindings(options);
  for (const kind of ['deliveries', 'invoices', 'accounts'] as const) {
    const missing = await findMissingConstraints(services.database, kind);
    findings.add({ breaches: nameBreaches(kind, missing) });
  }
  const { after, accountId, onPage, signal } = options;
  const first = after ? walks.findIndex(({ table }) => table === after.table) : 0;
  for (const [index, { table, pages }] of walks.slice(first).entries()) {
    let rows = 0;
    const from = { after: index === 0 ? after?.key : undefined, accountId };
    for await (const page of pages(services, from)) {
      findings.add(page);
      rows += page.rows;
      if (!page.last) continue;
      const cursor = writeCursor({ table, key: page.last });
      onPage?.({ table, cursor, rows, breaches: findings.count() });
      if (signal?.aborted) return { ...findings.result(), next: cursor };
    }
  }
  return { ...findings.result(), next: null };
}

const sumNames = ['orders', 'transactions', 'prunedInboxes', 'prunedHistories'] as const;

function createFindings({ onBreach, breachesKept = breachesKeptUsually }: VerifyOptions) {
  const found: Record<string, number> = {};
  const breaches: NamedBreach[] = [];
  const totals = { orders: 0, transactions: 0, prunedInboxes: 0, prunedHistories: 0 };
  let count = 0;
  return {
    count: () => count,
    add: (page: Pick<CheckedPage, 'breaches' | 'sums'>) => {
      for (const name of sumNames) totals[name] += page.sums?.[name] ?? 0;
      for (const breach of page.breaches) {
        count += 1;
        found[breach.invariant] = (found[breach.invariant] ?? 0) + 1;
        if (breaches.length >= breachesKept) continue;
        breaches.push(breach);
        onBreach?.(breach);
      }
    },
    result: () => ({
      orders: totals.orders,
      transactions: totals.transactions,
      checked: Object.values<string>(invariants),
      /** How often each invariant is broken. */
      found,
      /** The first ones; `found` counts all. */
      breaches,
      /** Orders that were not fully checked, because bodies or history rows were pruned by age. */
      pruned: { inboxes: totals.prunedInboxes, histories: totals.prunedHistories },
    }),
  };
}

type Walk = {
  readonly table: string;
  /** How many columns the key of a row has. */
  readonly keyLength: number;
  readonly pages: (
    services: Pick<Services, 'database' | 'clock'>,
    from: Omit<RowsAfter, 'limit'>,
  ) => AsyncGenerator<CheckedPage>;
};

/** In this order. A cursor names one of them by its table. */
const walks: readonly Walk[] = [
  {
    table: 'deliveries',
    keyLength: deliveryKey.length,
    pages: ({ database }, from) =>
      walkTable('deliveries', from, (page) => checkDeliveries(database, page)),
  },
  ...references.map(
    (reference): Walk => ({
      table: reference.table,
      keyLength: 1 + reference.key.length,
      pages: ({ database }, from) =>
        walkTable('accounts', from, (page) => checkReferences(database, reference, page)),
    }),
  ),
  { table: 'orders', keyLength: 2, pages: checkOrders },
  { table: 'figures', keyLength: 2, pages: checkFigures },
];

const rowsOfPage = 5_000;

async function* walkTable(
  invariant: 'deliveries' | 'accounts',
  { after, accountId }: Omit<RowsAfter, 'limit'>,
  check: (page: RowsAfter) => Promise<CheckedRows>,
): AsyncGenerator<CheckedPage> {
  for (let last = after; ; ) {
    const page = await check({ after: last, accountId, limit: rowsOfPage });
    yield { ...page, breaches: nameBreaches(invariant, page.breaches) };
    if (page.rows < rowsOfPage) return;
    last = page.last;
  }
}

/** How far `verify` has come: the last row that was checked. As text it can be pasted into a shell. */
type VerifyCursor = { readonly table: string; readonly key: RowKey };

export function writeCursor({ table, key }: VerifyCursor): string {
  return [table, ...key].map(escapeText).join('/');
}

/** Undefined for text that is not the cursor of a row. */
export function findCursor(text: string): VerifyCursor | undefined {
  try {
    const [table = '', ...key] = text.split('/').map(decodeURIComponent);
    const walk = walks.find((one) => one.table === table);
    return walk?.keyLength === key.length ? { table, key } : undefined;
  } catch {
    return undefined;
  }
}

/** Keys contain references of merchants and providers, so any character may occur. */
function escapeText(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
