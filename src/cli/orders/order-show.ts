/** `order show`: prints one order with its transactions, deliveries and history, with personal data masked. */

import { maskUpiId } from '../../domain/consumers/mask.ts';
import { type Order, orderStatus } from '../../domain/orders/order.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import type { HistoryEntry } from '../../store/orders/history.ts';
import { type ShownOrder, shownMax, showOrder } from '../../use-cases/orders/show-order.ts';
import { consumerText, maskedUser } from '../consumers/consumer-view.ts';
import { defineCommand, type Outcome, RefusedError } from '../framework/command.ts';
import { accountOption, checkAccount } from '../framework/common-options.ts';
import { amountNumber, amountText } from '../framework/money-text.ts';
import { renderFields } from '../framework/render.ts';
import { paint, type Screen } from '../framework/screen.ts';
import { ageOf, type Column, renderTable } from '../framework/table.ts';
import { type DescribedView, deliveryColumns, describedView } from '../inbox/delivery-view.ts';
import { type TransactionView, transactionColumns, transactionView } from './transaction-view.ts';

export const orderShow = defineCommand({
  name: ['order', 'show'],
  summary: 'Print one order with everything that belongs to it.',
  description: `Prints an order with its amounts, transactions, flags, and its last ${shownMax} deliveries and rows of history. E-mail addresses and phone numbers are masked.`,
  arguments: [
    {
      name: 'ORDER',
      phrase: 'an order id or an invoice',
      text: 'The order id, or the invoice of the shop.',
    },
  ],
  options: accountOption,
  examples: ['order show o_…', 'order show INV-1001 --account acc_…'],
  prepare: ({ values: { account }, positionals: [name = ''] }) => ({
    run: async (services) => {
      await checkAccount(services, account);
      const shown = await showOrder(services, name, account);
      if ('refusal' in shown) throw new RefusedError(shown.refusal);
      return shownView(shown, services.clock());
    },
    render: (outcome, screen) => renderShown(outcome as ShownView, screen),
  }),
});

type ShownView = ReturnType<typeof shownView>;

function shownView({ order, transactions, deliveries, history }: ShownOrder, now: Date) {
  return {
    order: orderView(order, now),
    transactions: transactions.map((transaction) => viewOf(order, transaction)),
    deliveries: deliveries.map(describedView),
    history: history.map(historyView),
  };
}

function orderView(order: Order, now: Date) {
  const { amounts } = order;
  const amountOf = (minor: number) => amountNumber(minor, amounts.currency);
  return {
    order_id: order.orderId,
    account_id: order.accountId,
    invoice_id: order.invoiceId,
    status: orderStatus(order, now),
    attempts: order.attempts,
    currency: amounts.currency,
    amount_before_tax: amountOf(amounts.beforeTax),
    tax: amountOf(amounts.tax),
    total_amount: amountOf(amounts.total),
    flags: order.flags,
    user: maskedUser(order.details.user),
    created_at: order.createdAt.toISOString(),
    lapses_at: order.lapsesAt.toISOString(),
  };
}

function viewOf({ accountId, orderId }: Order, transaction: Transaction): TransactionView {
  const { startedAtMs, finishedAtMs } = transaction;
  return transactionView(accountId, orderId, {
    ...transaction,
    paymentMode: transaction.type === 'payment' ? transaction.paymentMode : null,
    startedAt: startedAtMs === null ? null : new Date(startedAtMs),
    finishedAt: finishedAtMs === null ? null : new Date(finishedAtMs),
  });
}

type HistoryView = ReturnType<typeof historyView>;

function historyView({ transactionId, changes, cause, happenedAt, call }: HistoryEntry) {
  return {
    at: happenedAt.toISOString(),
    cause,
    transaction_id: transactionId,
    // The one field of a transaction that holds the address of a consumer; those of orders are stored masked.
    changes: changes.map(({ field, from, to }) => ({
      field,
      from: maskUpiId(from),
      to: maskUpiId(to),
    })),
    call: call ?? null,
  };
}

function renderShown({ order, transactions, deliveries, history }: ShownView, screen: Screen) {
  const { user, currency, amount_before_tax, tax, total_amount, ...fields } = order;
  const money = (major: number | null) => amountText(major, currency);
  return [
    renderFields({
      ...fields,
      amount_before_tax: money(amount_before_tax),
      tax: money(tax),
      total_amount: money(total_amount),
      consumer: consumerText(user),
    } satisfies Outcome),
    ...part<TransactionView>('Transactions', transactions, transactionColumns, screen),
    ...part<DescribedView>('Deliveries', deliveries, deliveryColumns, screen),
    ...part<HistoryView>('History', history, historyColumns, screen),
  ].join('\n');
}

function part<Row>(
  title: string,
  rows: readonly Row[],
  columns: ReadonlyArray<Column<Row>>,
  screen: Screen,
): string[] {
  const table = rows.length === 0 ? 'None.' : renderTable(rows, columns, screen);
  return ['', paint(screen, 'bold', `${title}:`), table];
}

const historyColumns: ReadonlyArray<Column<HistoryView>> = [
  { title: 'AGE', text: (entry, screen) => ageOf(entry.at, screen), isRight: true },
  { title: 'CHANGE', text: changeText, widthMax: 50 },
  { title: 'TRANSACTION', text: (entry) => entry.transaction_id },
  { title: 'CAUSE', text: (entry) => entry.cause },
];

/** The status in full, of other fields the names. */
function changeText({ changes, call }: HistoryView): string {
  const texts = changes.map(({ field, from, to }) =>
    field === 'status' ? `status ${from ?? '-'} → ${to ?? '-'}` : field,
  );
  const calls = call ? [`${call.operation} ${call.outcome}`] : [];
  return [...calls, ...texts.toSorted((a, b) => Number(isStatus(b)) - Number(isStatus(a)))].join(
    ', ',
  );
}

function isStatus(text: string): boolean {
  return text.startsWith('status ');
}
