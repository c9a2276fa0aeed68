/** Lists payments and refunds for an operator: those of the newest orders first, or those of one order. */
import { type ListedAccounts, type NewestQuery, readNewest } from '../../services/read-newest.ts';
import type { Services } from '../../services/services.ts';
import {
  findFilteredTransactions,
  type TransactionFilter,
} from '../../store/payments/transaction-lists.ts';

/** `after` is a transaction id. */
export function listTransactions(
  { database }: Pick<Services, 'database'>,
  accounts: ListedAccounts,
  { filter, ...query }: NewestQuery & { readonly filter: TransactionFilter },
) {
  return readNewest(database, accounts, query, {
    find: (from, accountId, range) =>
      findFilteredTransactions(from, accountId, { ...range, filter }),
    cursorOf: ({ transactionId }) => transactionId,
  });
}
