/**
 * The newest orders, transactions and deliveries of one account, page by page for an operator. Their ids begin with the
 * time, so the primary keys, read backwards, serve every page.
 */
import type { Delivery, DeliveryState } from '../../domain/inbox/delivery.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import type { OrderStatus, User } from '../../domain/orders/order.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { queryPerAccount } from '../per-account.ts';
import { type DeliveryRow, toDelivery } from './deliveries.ts';

/** Keys are compared as text: `before` is the last one of the previous page, `from` the lowest one to list. */
export type KeyRange = { readonly before: string | undefined; readonly from: string | undefined };

/** Adds a value to a statement, and returns its place in the text. */
export type AddValue = (value: unknown) => string;

/** The rows of an account in the order of their keys, the highest first. */
export type Selection = {
  readonly key: string;
  /** `account` is an expression for the id of the account. */
  readonly from: (account: string, add: AddValue) => string;
};

export async function selectNewest<Row extends object>(
  database: Queryable,
  { from }: Selection,
  columns: string,
  { accountId, limit }: { readonly accountId: string; readonly limit: number },
): Promise<Row[]> {
  const values: unknown[] = [];
  const add: AddValue = (value) => `$${values.push(value)}`;
  const text = `select ${columns} ${from(add(accountId), add)} limit ${add(limit)}`;
  const { rows } = await database.query<Row>({ text, values });
  return rows;
}

export type AccountKey = { readonly accountId: string; readonly key: string };

/** The highest key of each account that has one: one search of the index for each. */
export async function listHighestKeys(
  database: Database,
  { key, from }: Selection,
): Promise<AccountKey[]> {
  const { rows: accounts } = await database.query<{ accountId: string }>({
    text: 'select account_id as "accountId" from accounts',
  });
  return database.pipelined((connection) =>
    queryPerAccount<AccountKey, { accountId: string }>(connection, accounts, (accountId) => {
      const values: unknown[] = [];
      const add: AddValue = (value) => `$${values.push(value)}`;
      const account = add(accountId);
      const text = `select ${account} as "accountId", ${key} as key ${from(account, add)} limit 1`;
      return { text, values };
    }),
  );
}

export type NewestOrder = {
  readonly accountId: string;
  readonly orderId: string;
  readonly invoiceId: string;
  readonly savedStatus: OrderStatus;
  readonly attempts: number;
  readonly currency: string;
  readonly total: MinorUnits;
  readonly flags: readonly ReviewFlag[];
  readonly createdAt: Date;
  readonly lapsesAt: Date;
  readonly user: User | null;
};

/** The key is the order id. */
export function newestOrders(range: KeyRange): Selection {
  return {
    key: 'order_id',
    from: (account, add) => `from orders where account_id = ${account}
      ${rangeOf('order_id', range, add)} order by order_id desc`,
  };
}

export function listNewestOrders(
  database: Queryable,
  accountId: string,
  { limit, ...range }: KeyRange & { readonly limit: number },
): Promise<NewestOrder[]> {
  const columns = `account_id as "accountId", order_id as "orderId", invoice_id as "invoiceId",
    status as "savedStatus", attempts, currency, total_amount as total, flags,
    created_at as "createdAt", lapses_at as "lapsesAt", details -> 'user' as "user"`;
  return selectNewest(database, newestOrders(range), columns, { accountId, limit });
}

export type NewestTransaction = {
  readonly accountId: string;
  readonly orderId: string;
  readonly transactionId: string;
  readonly type: 'payment' | 'refund';
  readonly provider: ProviderName;
  readonly pspTransactionId: string | null;
  readonly status: string;
  readonly amount: MinorUnits | null;
  readonly currency: string | null;
  readonly paymentMode: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly flags: readonly ReviewFlag[];
};

type TransactionRange = KeyRange & { readonly orderId: string | undefined };

/** Those of the newest order first. The key is the transaction id, which begins with the order id; `from` is an order. */
export function newestTransactions({ orderId, before, from }: TransactionRange): Selection {
  const conditionsOf = (add: AddValue) => [
    ...(orderId === undefined ? [] : [`and order_id = ${add(orderId)}`]),
    ...(from === undefined ? [] : [`and order_id >= ${add(from)}`]),
    ...(before === undefined
      ? []
      : [`and (order_id, transaction_id) < (${add(before.split('-')[0])}, ${add(before)})`]),
  ];
  return {
    key: 'transaction_id',
    from: (account, add) => `from transactions where account_id = ${account}
      ${conditionsOf(add).join(' ')} order by order_id desc, transaction_id desc`,
  };
}

export function listNewestTransactions(
  database: Queryable,
  accountId: string,
  { limit, ...range }: TransactionRange & { readonly limit: number },
): Promise<NewestTransaction[]> {
  const columns = `account_id as "accountId", order_id as "orderId", transaction_id as "transactionId",
    type, provider, psp_transaction_id as "pspTransactionId", status, amount, currency,
    fields ->> 'paymentMode' as "paymentMode", started_at as "startedAt",
    finished_at as "finishedAt", flags`;
  return selectNewest(database, newestTransactions(range), columns, { accountId, limit });
}

/** A delivery without its body, which may be large. */
export type NewestDelivery = Omit<Delivery, 'headers' | 'body'>;

const deliveryColumns =
  'account_id, delivery_id, provider, delivery_key, event_id, state, why, flags, expected_merchant, order_id, tries, next_try_at, received_at, finished_at, erased_at';

/** Behind `dlv_` and the 16 characters of the account. */
const deliveryKeyStart = 21;

export const indexedStates: readonly DeliveryState[] = [
  ...(['received', 'parked', 'dead', 'needs_review'] as const),
];

type DeliveryRange = KeyRange & { readonly state: DeliveryState | undefined };

/**
 * The key is the part of the id behind the account. Only some states have an index; deliveries of the others are not
 * left out here.
 */
export function newestDeliveries({ state, ...range }: DeliveryRange): Selection {
  // Part of the text, because a parameter does not match the condition of the partial index.
  const ofState = state && indexedStates.includes(state) ? `and state = '${state}'` : '';
  return {
    key: `substr(delivery_id, ${deliveryKeyStart})`,
    from: (account, add) => {
      const addId: AddValue = (key) => `'dlv_' || substr(${account}, 5) || ${add(key)}`;
      return `from deliveries where account_id = ${account} ${ofState}
        ${rangeOf('delivery_id', range, addId)} order by delivery_id desc`;
    },
  };
}

export async function listNewestDeliveries(
  database: Queryable,
  accountId: string,
  { limit, ...range }: DeliveryRange & { readonly limit: number },
): Promise<NewestDelivery[]> {
  const selection = newestDeliveries(range);
  const page = { accountId, limit };
  return (await selectNewest<BodilessRow>(database, selection, deliveryColumns, page)).map(
    withoutBody,
  );
}

/** The last deliveries that belong to an order, or the last that were received up to a time. */
export async function listNewestOfOrder(
  database: Queryable,
  accountId: string,
  orderId: string,
  limit: number,
  upTo?: Date,
): Promise<NewestDelivery[]> {
  const { rows } = await database.query<BodilessRow>({
    text: `select ${deliveryColumns} from deliveries where account_id = $1 and order_id = $2
              and ($4::timestamptz is null or received_at <= $4)
            order by received_at desc, delivery_id desc limit $3`,
    values: [accountId, orderId, limit, upTo ?? null],
  });
  return rows.map(withoutBody);
}

type BodilessRow = Omit<DeliveryRow, 'headers' | 'body'>;

function withoutBody(row: BodilessRow): NewestDelivery {
  return toDelivery({ ...row, headers: null, body: null });
}

function rangeOf(column: string, { before, from }: KeyRange, add: AddValue): string {
  const conditions: string[] = [];
  if (before !== undefined) conditions.push(`and ${column} < ${add(before)}`);
  if (from !== undefined) conditions.push(`and ${column} >= ${add(from)}`);
  return conditions.join(' ');
}
