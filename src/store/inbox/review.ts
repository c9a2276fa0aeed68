/**
 * Everything that needs an operator, page by page: deliveries, and flags of orders and transactions. Each list is read
 * from a partial index that contains only such rows, so its cost does not grow with the table.
 */
import type { Delivery, DeliveryState } from '../../domain/inbox/delivery.ts';
import { orderIdOf } from '../../domain/inbox/review.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { columnsOf, joinSql, type Sql, sql, word } from '../../postgres/sql.ts';
import type { OrderKey } from '../order-rows.ts';
import { queryPerAccount } from '../per-account.ts';
import { listRows } from '../query.ts';
import { selectResolutions } from './review-resolutions.ts';

export type ReviewPage = {
  /** Undefined for all accounts. */
  readonly accountId: string | undefined;
  /** The last entry of the previous page: a delivery, an order or a transaction. */
  readonly after: { readonly accountId: string; readonly id: string } | undefined;
  readonly limit: number;
};

/** With an account, the scan must end with its last row, so the account is compared by itself. */
function startOf({ accountId, after }: ReviewPage) {
  return {
    isOne: accountId !== undefined,
    from: accountId ?? after?.accountId ?? '',
    id: after?.id ?? '',
  };
}

type DeliveryFields = 'accountId' | 'deliveryId' | 'why' | 'flags' | 'orderId';
export type DeliveryToReview = Pick<Delivery, DeliveryFields> & {
  readonly state: Extract<DeliveryState, 'dead' | 'needs_review'>;
  readonly since: Date;
};

export async function listDeliveriesToReview(
  database: Queryable,
  state: DeliveryToReview['state'],
  page: ReviewPage,
): Promise<DeliveryToReview[]> {
  const { isOne, from, id } = startOf(page);
  const isNext = isOne
    ? sql`account_id = $1 and delivery_id > $2`
    : sql`(account_id, delivery_id) > ($1, $2)`;
  return listRows<DeliveryToReview>(database, [from, id, page.limit])`
    select ${columnsOf('accountId, deliveryId, state, why, flags, orderId')},
           coalesce(finished_at, received_at) as since
      from deliveries where state = '${word(state)}' and ${isNext}
     order by account_id, delivery_id limit $3`;
}

/** An order or transaction with flags, including resolved ones; at least one is open. */
export type Flagged = OrderKey & {
  /** Null when the order itself has the flags. */
  readonly transactionId: string | null;
  readonly flags: readonly ReviewFlag[];
  /** Used when the history does not contain the time at which a flag was raised. */
  readonly happenedAt: Date;
};

const orderColumns = sql`account_id as "accountId", order_id as "orderId", null as "transactionId", flags,
                      created_at as "happenedAt"`;

export function listFlaggedOrders(database: Database, page: ReviewPage): Promise<Flagged[]> {
  return listOpen(database, page, {
    table: sql`orders`,
    columns: orderColumns,
    key: [sql`order_id`],
    subject: sql`order_id`,
    keyOf: (id) => [id],
  });
}

const transactionColumns = sql`account_id as "accountId", order_id as "orderId",
  transaction_id as "transactionId", flags,
  coalesce(finished_at, recorded_at, started_at, 'epoch') as "happenedAt"`;

/** `after` names a transaction, whose id begins with that of its order. */
export function listFlaggedTransactions(database: Database, page: ReviewPage): Promise<Flagged[]> {
  return listOpen(database, page, {
    table: sql`transactions`,
    columns: transactionColumns,
    key: [sql`order_id`, sql`transaction_id`],
    subject: sql`transaction_id`,
    keyOf: (id) => [orderIdOf(id), id],
  });
}

type FlaggedTable = {
  readonly table: Sql;
  readonly columns: Sql;
  /** The columns of its key behind the account, of which the last names the row. */
  readonly key: readonly Sql[];
  readonly subject: Sql;
  readonly keyOf: (id: string) => readonly string[];
};

/**
 * Resolved flags stay on their rows, so most flagged rows of an old account are resolved. They are left out here, or
 * pages would be empty. For one account the statement does it, with one index search for each row. Over all accounts no
 * statement may join, so pages are read and filtered until one is full.
 */
async function listOpen(database: Database, page: ReviewPage, flagged: FlaggedTable) {
  if (page.accountId !== undefined) return listPage(database, page, flagged, isOpenIn(flagged));
  const open: Flagged[] = [];
  for (let { after } = page; ; ) {
    const rows = await listPage(database, { ...page, after }, flagged, sql``);
    const isResolved = await findResolved(database, rows);
    open.push(...rows.filter((row) => !row.flags.every((flag) => isResolved(row, flag))));
    const last = rows.at(-1);
    if (!last || rows.length < page.limit || open.length >= page.limit) break;
    after = { accountId: last.accountId, id: subjectOf(last) };
  }
  return open.slice(0, page.limit);
}

/** The condition that leaves out resolved rows of the account `$1`. */
function isOpenIn({ table, subject }: FlaggedTable): Sql {
  return sql`and account_id = $1
          and not flags <@ array(select r.flag from review_resolutions r
                                  where r.account_id = $1 and r.subject = ${table}.${subject})`;
}

async function listPage(
  database: Queryable,
  page: ReviewPage,
  { table, columns, key, keyOf }: FlaggedTable,
  isWanted: Sql,
): Promise<Flagged[]> {
  const { from, id } = startOf(page);
  const parameters = key.map((_column, index) => sql`$${index + 3}`);
  return listRows<Flagged>(database, [from, page.limit, ...keyOf(id)])`
    select ${columns} from ${table}
     where flags <> '{}' and (account_id, ${joinSql(key)}) > ($1, ${joinSql(parameters)})
       ${isWanted}
     order by account_id, ${joinSql(key)} limit $2`;
}

function subjectOf({ orderId, transactionId }: Flagged): string {
  return transactionId ?? orderId;
}

async function findResolved(database: Database, rows: readonly Flagged[]) {
  type Resolved = { subject: string; flag: string };
  const found = await database.pipelined((connection) =>
    queryPerAccount<Resolved, Flagged>(connection, rows, (accountId, own) =>
      selectResolutions(accountId, own.map(subjectOf)),
    ),
  );
  const keys = new Set(found.map(({ subject, flag }) => `${subject} ${flag}`));
  return (row: Flagged, flag: ReviewFlag) => keys.has(`${subjectOf(row)} ${flag}`);
}

/** All flags of the orders and their transactions, including resolved ones. */
export async function listFlagsOfOrders(
  database: Queryable,
  accountId: string,
  orderIds: readonly string[],
) {
  if (orderIds.length === 0) return [];
  const values = [accountId, orderIds];
  return listRows<Pick<Flagged, 'orderId' | 'transactionId' | 'flags'>>(database, values)`
    select order_id as "orderId", null as "transactionId", flags from orders
     where account_id = $1 and order_id = any($2::text[]) and flags <> '{}'
     union all
    select order_id, transaction_id, flags from transactions
     where account_id = $1 and order_id = any($2::text[]) and flags <> '{}'`;
}
