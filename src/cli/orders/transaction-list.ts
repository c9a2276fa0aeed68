/** `transaction list`: prints payments and refunds, those of the newest orders first, page by page. */
import { isTransactionId } from '../../domain/ids.ts';
import { paymentStatuses } from '../../domain/payments/notice.ts';
import { listTransactions } from '../../use-cases/orders/list-transactions.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { readOneOf } from '../framework/one-of.ts';
import {
  accountOption,
  afterOption,
  effort,
  limitOption,
  openScope,
  orderOption,
  readLimit,
  readOrderId,
  readSince,
  sinceOption,
} from '../framework/page-options.ts';
import { renderList } from '../framework/render-list.ts';
import { type TransactionView, transactionColumns, transactionView } from './transaction-view.ts';

export const transactionList = defineCommand({
  name: ['transaction', 'list'],
  summary: 'List payments and refunds.',
  description:
    'Lists payments and refunds, one line each: those of the newest order first. A page looks at 20,000 of them at most, so with --status it may have few rows and a next page.',
  options: {
    ...accountOption,
    ...orderOption,
    status: {
      type: 'string',
      value: 'STATUS',
      text: `Only those of this status: ${paymentStatuses.join(', ')}.`,
    },
    ...sinceOption('Only those of orders created since then.'),
    ...limitOption,
    ...afterOption,
  },
  examples: [
    'transaction list --order o_…',
    'transaction list --account acc_… --status failed --since 24h',
  ],
  prepare: ({ values }) => {
    const { account, after } = values;
    const status = readOneOf('--status', values.status, paymentStatuses);
    const sinceAt = readSince(values.since);
    const limit = readLimit(values.limit);
    const orderId = readOrderId(values.order);
    if (after !== undefined && !isTransactionId(after)) {
      throw new UsageError('--after must be the transaction id where the last page ended.');
    }
    return {
      run: async (services, _config, warn) => {
        const scope = await openScope(services, account, warn);
        const filter = { orderId, status, orderedSince: sinceAt(services.clock()) };
        const query = { filter, after, limit, effort };
        const { rows, next } = await listTransactions(services, scope, query);
        return {
          transactions: rows.map((row) => transactionView(row.accountId, row.orderId, row)),
          ...(next && { next: next.transactionId }),
        };
      },
      render: (outcome, screen) => {
        const { transactions, next } = outcome as {
          transactions: TransactionView[];
          next?: string;
        };
        return renderList(transactions, transactionColumns, next, screen);
      },
    };
  },
});
