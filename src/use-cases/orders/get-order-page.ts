/**
 * One order with everything that the page of the dashboard shows: its sums, its payments with their refunds, and what
 * can still be refunded of each. Contract 13.5.
 */
import { ServiceError } from '../../domain/errors.ts';
import { paymentsOf, refundsOf } from '../../domain/order-state/matching.ts';
import { linkRefunds, refundBalance } from '../../domain/order-state/refund-links.ts';
import { isRefundable, refundedSoFar } from '../../domain/order-state/refund-request.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import { type Order, orderStatus } from '../../domain/orders/order.ts';
import { linkStatus } from '../../domain/orders/payment-link.ts';
import { claimedAmount } from '../../domain/payments/claims.ts';
import { isPastHold, uncapturedAmount } from '../../domain/payments/hold.ts';
import { findVoid, isPending } from '../../domain/payments/operation.ts';
import type { Payment, Transaction } from '../../domain/payments/transaction.ts';
import { getProvider } from '../../providers/providers.ts';
import { findShownBankAccount } from '../../services/bank-account.ts';
import type { Services } from '../../services/services.ts';
import { listResolutions } from '../../store/inbox/review-resolutions.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import { findCheckout } from '../../store/orders/checkouts.ts';
import { findLink } from '../../store/orders/payment-links.ts';

export type OrderPage = Awaited<ReturnType<typeof getOrderPage>>;
export type ShownPayment = OrderPage['payments'][number];

type PageOptions = {
  /** The payment behind which the page begins. */
  readonly after?: string | undefined;
  /** The only payment that is wanted. */
  readonly only?: string;
};

/** An order may have a thousand transactions. */
const paymentsPerPage = 20;
const refundsMax = 20;

export async function getOrderPage(
  {
    database,
    batches,
    accounts,
    clock,
  }: Pick<Services, 'database' | 'batches' | 'accounts' | 'clock'>,
  { accountId, orderId }: OrderKey,
  options: PageOptions = {},
) {
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await batches.findOrderWithTransactions(question);
  if (!found) throw new ServiceError('NOT_FOUND', 'The account has no such order.');
  const { order } = found;
  const now = clock();
  const transactions = settleTransactions(found, now);
  const { paid, refunded, pending, claimed, available } = refundBalance(
    transactions,
    order.amounts.currency,
  );
  const listed = listPayments(order, transactions, now, options);
  const link = await findLink(database, order);
  const subjects = listed.payments.flatMap(({ payment, refunds }) => [payment, ...refunds]);
  return {
    order,
    status: orderStatus(order, now),
    transactions,
    sums: { paid, refunded, pending, claimed, available },
    disputes: listDisputes(transactions),
    checkout: await findCheckout(database, order),
    bankAccount: findShownBankAccount(await accounts.get(accountId), order),
    // Of its payment link; undefined without one.
    linkStatus: link && linkStatus(link, order, now),
    // Of the order and of the transactions on this page.
    resolved: await listResolutions(database, accountId, [
      orderId,
      ...subjects.map(({ transactionId }) => transactionId),
    ]),
    ...listed,
  };
}

function listPayments(
  order: Order,
  transactions: readonly Transaction[],
  now: Date,
  { after, only }: PageOptions,
) {
  const links = linkRefunds(transactions);
  const { availableOf } = refundBalance(transactions, order.amounts.currency);
  const available = (payment: Payment) => (isRefundable(payment) ? availableOf(payment) : null);
  const hasRest = (payment: Payment) => Number((available(payment) ?? 0) > 0);
  const sorted = paymentsOf(transactions)
    .filter(({ transactionId }) => only === undefined || transactionId === only)
    .toSorted((a, b) => hasRest(b) - hasRest(a) || newestFirst(a, b));
  const start = sorted.findIndex(({ transactionId }) => transactionId === after) + 1;
  const page = sorted.slice(start, start + paymentsPerPage);
  const isLast = start + page.length === sorted.length;
  return {
    // Those that can be refunded first, then the newest.
    payments: page.map((payment) => {
      const provider = getProvider(payment.provider);
      const refunds = links.listRefundsOf(payment).toSorted(newestFirst);
      return {
        payment,
        mode: payment.paymentMode ?? provider.paymentModeOtherwise,
        // Null if it cannot be refunded in its state.
        available: available(payment),
        claimed: claimedAmount(payment),
        authorization: describeHeld(payment, now),
        refunds: refunds.slice(0, refundsMax),
        refundsTotal: refunds.length,
        // Of the whole order, in the currency of the payment. A refund is refused if this has changed meanwhile.
        refundedSoFar:
          payment.currency === null ? null : refundedSoFar(transactions, payment.currency),
      };
    }),
    paymentsTotal: sorted.length,
    // The last payment of this page if more follow.
    next: isLast ? undefined : page.at(-1)?.transactionId,
    // Refunds of payments that are not known here.
    otherRefunds: refundsOf(transactions)
      .filter((refund) => !links.findPaymentOf(refund))
      .toSorted(newestFirst)
      .slice(0, refundsMax),
  };
}

/** What can be captured or voided; null for a payment that is not authorised. Contract 16.8. */
function describeHeld(payment: Payment, now: Date) {
  if (payment.status !== 'authorized') return null;
  const { holds } = getProvider(payment.provider).outbound;
  const isRunning = payment.operations?.some(isPending) === true;
  const isOpen = holds !== undefined && !isRunning && !findVoid(payment);
  return {
    left: uncapturedAmount(payment),
    expiresAtMs: payment.hold?.expiresAtMs ?? null,
    takesParts: holds?.takesParts === true,
    canCapture: isOpen && !isPastHold(payment, now),
    canVoid: isOpen,
  };
}

/** Of all payments, also of those on other pages: deadlines must not be overlooked. */
function listDisputes(transactions: readonly Transaction[]) {
  return paymentsOf(transactions).flatMap(({ transactionId, disputes }) =>
    (disputes ?? []).map((dispute) => ({ transactionId, dispute })),
  );
}

/** Ids of one order sort by time. */
function newestFirst(a: Transaction, b: Transaction): number {
  return a.transactionId < b.transactionId ? 1 : -1;
}
