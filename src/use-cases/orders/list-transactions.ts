/** Lists payments and refunds for an operator: those of the newest orders first, or those of one order. */
import type { Database } from '../../postgres/database.ts';
import {
  type ListedAccounts,
  type NewestPage,
  type NewestQuery,
  readNewest,
} from '../../services/read-newest.ts';
import {
  findFilteredTransactions,
  type ListedTransaction,
  type TransactionFilter,
} from '../../store/payments/transaction-lists.ts';

type Needs = { readonly database: Database };

/** `after` is a transaction id. */
export type TransactionsQuery = NewestQuery & { readonly filter: TransactionFilter };

export function listTransactions(
  { database }: Needs,
  accounts: ListedAccounts,
  { filter, ...query }: TransactionsQuery,
): Promise<NewestPage<ListedTransaction>> {
  return readNewest(database, accounts, query, {
    find: (from, order, accountId, range) =>
      findFilteredTransactions(from, order, accountId, { ...range, filter }),
    cursorOf: ({ transactionId }) => transactionId,
  });
}
