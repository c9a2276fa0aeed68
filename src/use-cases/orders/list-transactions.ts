/** Lists payments and refunds for an operator: those of the newest orders first, or those of one order. */
import { firstOrderIdAt } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import {
  type NewestPage,
  type NewestQuery,
  type NewestScope,
  readNewest,
} from '../../services/read-newest.ts';
import {
  listHighestKeys,
  listNewestTransactions,
  type NewestTransaction,
  newestTransactions,
} from '../../store/inbox/newest.ts';

type Needs = { readonly database: Database };

export type TransactionsQuery = NewestQuery & {
  readonly orderId: string | undefined;
  readonly status: string | undefined;
  /** The order was created then or later: no index contains the time of a transaction. */
  readonly orderedSince: Date | undefined;
};

export function listTransactions(
  { database }: Needs,
  scope: NewestScope,
  { orderId, status, orderedSince, ...query }: TransactionsQuery,
): Promise<NewestPage<NewestTransaction>> {
  const from = orderedSince && firstOrderIdAt(orderedSince);
  const range = { orderId, from };
  return readNewest<NewestTransaction>(
    scope,
    {
      keyOf: ({ transactionId }) => transactionId,
      listHighest: (before) => listHighestKeys(database, newestTransactions({ ...range, before })),
      read: (accountId, page) => listNewestTransactions(database, accountId, { ...range, ...page }),
      isWanted: (transaction) =>
        (status === undefined || transaction.status === status) &&
        (from === undefined || transaction.orderId >= from),
    },
    query,
  );
}
