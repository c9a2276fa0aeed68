/** A payment or refund as the command line prints it. */
import type { ListedTransaction } from '../../store/payments/transaction-lists.ts';
import { ageOf, amountNumber, amountText, type Column, styleOfStatus } from '../framework/table.ts';

export function transactionView(shown: ListedTransaction) {
  return {
    transactionId: shown.transactionId,
    accountId: shown.accountId,
    orderId: shown.orderId,
    type: shown.type,
    status: shown.status,
    provider: shown.provider,
    amount: amountNumber(shown.amount, shown.currency),
    currency: shown.currency,
    paymentMode: shown.paymentMode,
    pspTransactionId: shown.pspTransactionId,
    flags: shown.flags,
    startedAt: shown.startedAt,
    finishedAt: shown.finishedAt,
  };
}

export const transactionColumns: ReadonlyArray<Column<ReturnType<typeof transactionView>>> = [
  { title: 'TRANSACTION', text: (shown) => shown.transactionId },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => styleOfStatus(status) },
  { title: 'AMOUNT', text: (shown) => amountText(shown.amount, shown.currency), isRight: true },
  { title: 'AGE', text: ({ startedAt }, screen) => ageOf(startedAt, screen), isRight: true },
  { title: 'PROVIDER', text: ({ provider }) => provider },
  { title: 'MODE', text: (shown) => shown.paymentMode },
  { title: 'FLAGS', text: ({ flags }) => flags.join(','), widthMax: 24, style: () => 'yellow' },
  { title: 'PROVIDER ID', text: (shown) => shown.pspTransactionId, widthMax: 40 },
  { title: 'ACCOUNT', text: (shown) => shown.accountId },
];
