/** A payment or refund as the command line prints it. */
import type { ProviderName } from '../../domain/provider-name.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import { amountNumber, amountText } from '../framework/money-text.ts';
import { styleOfStatus } from '../framework/status-style.ts';
import { ageOf, type Column } from '../framework/table.ts';

type Shown = {
  readonly transactionId: string;
  readonly type: 'payment' | 'refund';
  readonly provider: ProviderName;
  readonly pspTransactionId: string | null;
  readonly status: string;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly paymentMode?: string | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly flags: readonly ReviewFlag[];
};

export type TransactionView = ReturnType<typeof transactionView>;

export function transactionView(accountId: string, orderId: string, shown: Shown) {
  return {
    transaction_id: shown.transactionId,
    account_id: accountId,
    order_id: orderId,
    type: shown.type,
    status: shown.status,
    provider: shown.provider,
    amount: amountNumber(shown.amount, shown.currency),
    currency: shown.currency,
    payment_mode: shown.paymentMode ?? null,
    psp_transaction_id: shown.pspTransactionId,
    flags: shown.flags,
    started_at: shown.startedAt?.toISOString() ?? null,
    finished_at: shown.finishedAt?.toISOString() ?? null,
  };
}

export const transactionColumns: ReadonlyArray<Column<TransactionView>> = [
  { title: 'TRANSACTION', text: (shown) => shown.transaction_id },
  { title: 'TYPE', text: ({ type }) => type },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => styleOfStatus(status) },
  { title: 'AMOUNT', text: (shown) => amountText(shown.amount, shown.currency), isRight: true },
  {
    title: 'AGE',
    text: ({ started_at }, screen) => started_at && ageOf(started_at, screen),
    isRight: true,
  },
  { title: 'PROVIDER', text: ({ provider }) => provider },
  { title: 'MODE', text: (shown) => shown.payment_mode },
  { title: 'FLAGS', text: ({ flags }) => flags.join(','), widthMax: 24, style: () => 'yellow' },
  { title: 'PROVIDER ID', text: (shown) => shown.psp_transaction_id, widthMax: 40 },
  { title: 'ACCOUNT', text: (shown) => shown.account_id },
];
