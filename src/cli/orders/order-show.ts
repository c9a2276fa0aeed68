/** `order show`: prints one order with its transactions, deliveries and history, with personal data masked. */
import { maskUpiId } from '../../domain/consumers/mask.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { type Order, orderStatus } from '../../domain/orders/order.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import { shownMax, showOrder } from '../../use-cases/orders/show-order.ts';
import { consumerText, maskedUser } from '../consumers/consumer-view.ts';
import { defineCommand, RefusedError } from '../framework/command.ts';
import { accountOption, checkAccount, orderArgument } from '../framework/common-options.ts';
import { paint, renderFields } from '../framework/screen.ts';
import { ageOf, amountNumber, amountText, type Column, renderTable } from '../framework/table.ts';
import { deliveryColumns, describedView } from '../inbox/inbox.ts';
import { transactionColumns, transactionView } from './transaction.ts';

export const orderShow = defineCommand({
  name: ['order', 'show'],
  summary: 'Print one order with everything that belongs to it.',
  description: `Prints an order with its amounts, transactions, flags, and its last ${shownMax} deliveries and rows of history. E-mail addresses and phone numbers are masked.`,
  arguments: [orderArgument],
  options: accountOption,
  examples: ['order show o_…', 'order show INV-1001 --account acc_…'],
  run: async (services, { values: { account }, positionals: [name = ''] }) => {
    await checkAccount(services, account);
    const found = await showOrder(services, name, account);
    if ('refusal' in found) throw new RefusedError(found.refusal);
    const { order, transactions, deliveries, history } = found;
    return {
      order: orderView(order, services.clock()),
      transactions: transactions.map((transaction) => viewOf(order, transaction)),
      deliveries: deliveries.map(describedView),
      history: history.map(historyView),
    };
  },
  render: ({ order, transactions, deliveries, history }, screen) => {
    const { user, currency, amountBeforeTax, tax, totalAmount, ...fields } = order;
    const money = (major: number | null) => amountText(major, currency);
    const title = (text: string) => `\n${paint(screen, 'bold', `${text}:`)}`;
    return [
      renderFields({
        ...fields,
        amountBeforeTax: money(amountBeforeTax),
        tax: money(tax),
        totalAmount: money(totalAmount),
        consumer: consumerText(user),
      }),
      title('Transactions'),
      renderTable(transactions, transactionColumns, screen, 'None.'),
      title('Deliveries'),
      renderTable(deliveries, deliveryColumns, screen, 'None.'),
      title('History'),
      renderTable(history, historyColumns, screen, 'None.'),
    ].join('\n');
  },
});

function orderView(order: Order, now: Date) {
  const { amounts } = order;
  const amountOf = (minor: number) => amountNumber(minor, amounts.currency);
  return {
    orderId: order.orderId,
    accountId: order.accountId,
    invoiceId: order.invoiceId,
    status: orderStatus(order, now),
    attempts: order.attempts,
    currency: amounts.currency,
    amountBeforeTax: amountOf(amounts.beforeTax),
    tax: amountOf(amounts.tax),
    totalAmount: amountOf(amounts.total),
    flags: order.flags,
    user: maskedUser(order.details.user),
    createdAt: order.createdAt,
    lapsesAt: order.lapsesAt,
  };
}

function viewOf({ accountId, orderId }: Order, transaction: Transaction) {
  const { startedAtMs, finishedAtMs } = transaction;
  return transactionView({
    ...transaction,
    accountId,
    orderId,
    paymentMode: transaction.type === 'payment' ? transaction.paymentMode : null,
    startedAt: startedAtMs === null ? null : new Date(startedAtMs),
    finishedAt: finishedAtMs === null ? null : new Date(finishedAtMs),
  });
}

function historyView({ transactionId, changes, cause, happenedAt, call }: HistoryEntry) {
  return {
    at: happenedAt,
    cause,
    transactionId,
    // The one field of a transaction that holds the address of a consumer; those of orders are stored masked.
    changes: changes.map(({ field, from, to }) => ({
      field,
      from: maskUpiId(from),
      to: maskUpiId(to),
    })),
    call: call ?? null,
  };
}

const historyColumns: ReadonlyArray<Column<ReturnType<typeof historyView>>> = [
  { title: 'AGE', text: ({ at }, screen) => ageOf(at, screen), isRight: true },
  { title: 'CHANGE', text: changeText, widthMax: 50 },
  { title: 'TRANSACTION', text: ({ transactionId }) => transactionId },
  { title: 'CAUSE', text: ({ cause }) => cause },
];

/** The call, the status in full, and the names of the other fields. */
function changeText({ changes, call }: ReturnType<typeof historyView>): string {
  const status = changes.filter(({ field }) => field === 'status');
  const others = changes.filter(({ field }) => field !== 'status');
  return [
    ...(call ? [`${call.operation} ${call.outcome}`] : []),
    ...status.map(({ from, to }) => `status ${from ?? '-'} → ${to ?? '-'}`),
    ...others.map(({ field }) => field),
  ].join(', ');
}
