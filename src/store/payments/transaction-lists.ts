/** Payments and refunds of an account, those of the newest orders first. */
import { firstOrderIdAt } from '../../domain/ids.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { Queryable } from '../../postgres/database.ts';
import { compare, type FoundRows, findNewest, type StepRange } from '../newest.ts';
import { byBytes, type TextOrder } from '../text-order.ts';

export type ListedTransaction = {
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

export type TransactionFilter = {
  readonly orderId: string | undefined;
  readonly status: string | undefined;
  /** The order was created then or later: no index contains the time of a transaction. */
  readonly orderedSince: Date | undefined;
};

const columns = `account_id as "accountId", order_id as "orderId", transaction_id as "transactionId",
  type, provider, psp_transaction_id as "pspTransactionId", status, amount, currency,
  fields ->> 'paymentMode' as "paymentMode", started_at as "startedAt",
  finished_at as "finishedAt", flags`;

/** The cursor is the id of a transaction, which begins with that of its order. */
export function findFilteredTransactions(
  database: Queryable,
  order: TextOrder,
  accountId: string,
  { filter, before, ...range }: StepRange & { readonly filter: TransactionFilter },
): Promise<FoundRows<ListedTransaction>> {
  const { orderId, status, orderedSince } = filter;
  const since = compare(
    `${byBytes('order_id', order)} >=`,
    orderedSince && firstOrderIdAt(orderedSince),
  );
  return findNewest(
    database,
    accountId,
    {
      columns,
      sortedBy: ['order_id', 'transaction_id'],
      cursor: before === undefined ? undefined : [before.split('-')[0], before],
      indexed: [...compare('order_id =', orderId), ...(order === 'bytes' ? since : [])],
      looked: [...compare('status =', status), ...(order === 'bytes' ? [] : since)],
      from: (wanted) => `transactions where ${wanted}`,
    },
    range,
  );
}
