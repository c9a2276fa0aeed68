/** `transaction list`: prints payments and refunds, those of the newest orders first, page by page. */
import { isTransactionId } from '../../domain/ids.ts';
import { paymentStatuses } from '../../domain/payments/notice.ts';
import type { ListedTransaction } from '../../store/payments/transaction-lists.ts';
import { listTransactions } from '../../use-cases/orders/list-orders.ts';
import { UsageError } from '../framework/command.ts';
import { choiceOption, orderOption, readOrderId } from '../framework/common-options.ts';
import { defineList, listScope } from '../framework/list.ts';
import { ageOf, amountNumber, amountText, type Column, styleOfStatus } from '../framework/table.ts';

export function transactionView(transaction: ListedTransaction) {
  return {
    transactionId: transaction.transactionId,
    accountId: transaction.accountId,
    orderId: transaction.orderId,
    type: transaction.type,
    status: transaction.status,
    provider: transaction.provider,
    amount: amountNumber(transaction.amount, transaction.currency),
    currency: transaction.currency,
    paymentMode: transaction.paymentMode,
    pspTransactionId: transaction.pspTransactionId,
    flags: transaction.flags,
    startedAt: transaction.startedAt,
    finishedAt: transaction.finishedAt,
  };
}

export const transactionColumns: ReadonlyArray<Column<ReturnType<typeof transactionView>>> = [
  { title: 'TRANSACTION', text: ({ transactionId }) => transactionId },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => styleOfStatus(status) },
  { title: 'AMOUNT', text: ({ amount, currency }) => amountText(amount, currency), isRight: true },
  { title: 'AGE', text: ({ startedAt }, screen) => ageOf(startedAt, screen), isRight: true },
  { title: 'PROVIDER', text: ({ provider }) => provider },
  { title: 'MODE', text: ({ paymentMode }) => paymentMode },
  { title: 'FLAGS', text: ({ flags }) => flags.join(','), widthMax: 24, style: () => 'yellow' },
  { title: 'PROVIDER ID', text: ({ pspTransactionId }) => pspTransactionId, widthMax: 40 },
  { title: 'ACCOUNT', text: ({ accountId }) => accountId },
];

export const transactionList = defineList({
  name: ['transaction', 'list'],
  summary: 'List payments and refunds.',
  description:
    'Lists payments and refunds, one line each: those of the newest order first. A page looks at 20,000 of them at most, so with --status it may have few rows and a next page.',
  options: {
    ...orderOption,
    status: choiceOption('STATUS', 'Only those of this status', paymentStatuses),
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
      const query = { ...page, filter: { orderId, status, orderedSince: page.since } };
      const scope = await listScope(services, page);
      const { rows, next } = await listTransactions(services, scope, query);
      return { rows: rows.map(transactionView), next: next?.transactionId };
    };
  },
});
