/** Payments and refunds of an account, those of the newest orders first. */
import { firstOrderIdAt } from '../../domain/ids.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { Queryable } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import { compare, type FoundRows, findNewest, type StepRange } from '../newest.ts';
import type { OrderKey } from '../order-rows.ts';
import { listValues } from '../query.ts';

export type ListedTransaction = OrderKey & {
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

export type TransactionFilter = {
  readonly orderId: string | undefined;
  readonly status: string | undefined;
  /** The order was created then or later: no index contains the time of a transaction. */
  readonly orderedSince: Date | undefined;
};

const columns = sql`
  ${columnsOf('accountId, orderId, transactionId, type, provider, pspTransactionId, status, amount')},
  currency, fields ->> 'paymentMode' as "paymentMode", ${columnsOf('startedAt, finishedAt, flags')}`;

/** The cursor is the id of a transaction, which begins with that of its order. */
export function findFilteredTransactions(
  database: Queryable,
  accountId: string,
  { filter, before, ...range }: StepRange & { readonly filter: TransactionFilter },
): Promise<FoundRows<ListedTransaction>> {
  const { orderId, status, orderedSince } = filter;
  const since = compare(sql`order_id >=`, orderedSince && firstOrderIdAt(orderedSince));
  return findNewest(
    database,
    accountId,
    {
      columns,
      sortedBy: [sql`order_id`, sql`transaction_id`],
      cursor: before === undefined ? undefined : [before.split('-')[0], before],
      indexed: [...compare(sql`order_id =`, orderId), ...since],
      looked: compare(sql`status =`, status),
      from: (wanted) => sql`transactions where ${wanted}`,
    },
    range,
  );
}

/** Bounds the cost for consumers with many payments. */
const paymentsMax = 50;

/** The modes of the consumer's successful payments, most recent first. */
export function listModesPaidWith(database: Queryable, accountId: string, userId: string) {
  return listValues<string>(database, [accountId, userId, paymentsMax], 'list-modes-paid-with')`
    select t.fields->>'paymentMode' as mode
      from (select account_id, order_id, fields, finished_at from transactions
             where account_id = $1 and paid_by = $2
             order by finished_at desc nulls last limit $3) t
      join orders o on o.account_id = t.account_id and o.order_id = t.order_id
     where o.status = 'completed' and t.fields->>'paymentMode' is not null
     group by 1 order by max(t.finished_at) desc nulls last`;
}
