/** `transaction list`: prints payments and refunds, those of the newest orders first, page by page. */
import { isTransactionId } from '../../domain/ids.ts';
import { paymentStatuses } from '../../domain/payments/notice.ts';
import { listTransactions } from '../../use-cases/orders/list-transactions.ts';
import { UsageError } from '../framework/command.ts';
import { orderOption, readOrderId } from '../framework/common-options.ts';
import { defineList, effort, listScope } from '../framework/list.ts';
import { transactionColumns, transactionView } from './transaction-view.ts';

export const transactionList = defineList({
  name: ['transaction', 'list'],
  summary: 'List payments and refunds.',
  description:
    'Lists payments and refunds, one line each: those of the newest order first. A page looks at 20,000 of them at most, so with --status it may have few rows and a next page.',
  options: {
    ...orderOption,
    status: {
      value: 'STATUS',
      words: paymentStatuses,
      text: `Only those of this status: ${paymentStatuses.join(', ')}.`,
    },
  },
  since: 'Only those of orders created since then.',
  examples: [
    'transaction list --order o_…',
    'transaction list --account acc_… --status failed --since 24h',
  ],
  rows: 'transactions',
  columns: transactionColumns,
  prepare: ({ status, order, after: afterText }) => {
    const orderId = readOrderId(order);
    if (afterText !== undefined && !isTransactionId(afterText)) {
      throw new UsageError('--after must be the transaction id where the last page ended.');
    }
    return async (services, page) => {
      const { since: orderedSince, after, limit } = page;
      const query = { filter: { orderId, status, orderedSince }, after, limit, effort };
      const scope = await listScope(services, page);
      const { rows, next } = await listTransactions(services, scope, query);
      return { rows: rows.map(transactionView), next: next?.transactionId };
    };
  },
});
