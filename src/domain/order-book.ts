/**
 * An order with all its transactions, and how a notice changes it. Pure: given the same set of
 * notices in any order it ends in the same state, so applying is keeping the notice and folding.
 */
import type { Notice, PaymentNotice, ProviderName, RefundNotice, ReviewFlag } from './notice.ts';
import type { Order, OrderStatus } from './order.ts';
import {
  type Expected,
  foldPayment,
  foldRefund,
  matchesExpected,
  type Payment,
  type Refund,
  type Transaction,
  withFlags,
} from './transaction.ts';

export type OrderBook = {
  readonly order: Pick<Order, 'orderId' | 'amounts' | 'lapsesAt'>;
  readonly transactions: readonly Transaction[];
};

/** What is saved of an order besides its creation. Decision 4.3. */
export type OrderState = {
  readonly status: OrderStatus;
  readonly attempts: number;
  readonly flags: readonly ReviewFlag[];
};

export type DeliveredNotice = Notice & {
  readonly provider: ProviderName;
  readonly deliveryKey: string;
  readonly receivedAt: Date;
};

const failedAttemptsMax = 15;

/** The book with the notice kept and everything it touches folded anew. */
export function applyNotice(book: OrderBook, notice: DeliveredNotice): OrderBook {
  let transactions = book.transactions;
  if (notice.payment) transactions = keepPayment(book, transactions, notice, notice.payment);
  if (notice.refund) transactions = keepRefund(book, transactions, notice, notice.refund);
  return { ...book, transactions: flagDuplicates(transactions, book.order.amounts) };
}

/** A void says something of a payment that has to be known first. */
export function lacksTarget({ transactions }: OrderBook, notice: DeliveredNotice): boolean {
  const { payment } = notice;
  return payment?.voidPspId !== undefined && !findPayment(transactions, notice, payment);
}

/** Decision 4.3: a pure function of the transactions and of time. */
export function decideOrderState({ order, transactions }: OrderBook, now: Date): OrderState {
  const payments = paymentsOf(transactions);
  const flags = isOverRefunded(transactions, order.amounts) ? (['over_refunded'] as const) : [];
  const status = (): OrderStatus => {
    if (payments.some((payment) => completes(payment, order.amounts))) return 'completed';
    const failed = payments.filter((payment) => payment.status === 'failed').length;
    if (now >= order.lapsesAt || failed >= failedAttemptsMax) return 'lapsed';
    return payments.length === 0 ? 'new' : 'pending';
  };
  return { status: status(), attempts: payments.length, flags };
}

export function paymentsOf(transactions: readonly Transaction[]): Payment[] {
  return transactions.filter((transaction) => transaction.type === 'payment');
}

export function refundsOf(transactions: readonly Transaction[]): Refund[] {
  return transactions.filter((transaction) => transaction.type === 'refund');
}

/** `<order_id>-<yyMMddHHmmss>`, the next free second when taken. Decision 4.5. */
export function newTransactionId(
  orderId: string,
  time: Date,
  isTaken: (transactionId: string) => boolean,
): string {
  for (let second = Math.floor(time.getTime() / 1000); ; second += 1) {
    const digits = new Date(second * 1000).toISOString().replace(/\D/g, '').slice(2, 14);
    const transactionId = `${orderId}-${digits}`;
    if (!isTaken(transactionId)) return transactionId;
  }
}

function completes(payment: Payment, expected: Expected): boolean {
  return payment.status === 'succeeded' && matchesExpected(payment, expected);
}

function keepPayment(
  { order }: OrderBook,
  transactions: readonly Transaction[],
  notice: DeliveredNotice,
  said: PaymentNotice,
): readonly Transaction[] {
  const found = findPayment(transactions, notice, said);
  if (!found && said.makesTransaction === false) return transactions;
  const before = found ?? {
    transactionId: nameOf(order.orderId, transactions, said, notice),
    provider: notice.provider,
    notices: [],
  };
  const notices = keep(before.notices, { ...said, deliveryKey: notice.deliveryKey });
  const after = foldPayment({ ...before, notices }, order.amounts);
  return found ? replace(transactions, after) : [...transactions, after];
}

/** By a name of the provider's; else the payment that was started here under the id the notice names. */
function findPayment(
  transactions: readonly Transaction[],
  notice: DeliveredNotice,
  said: PaymentNotice,
): Payment | undefined {
  const payments = paymentsOf(transactions).filter(({ provider }) => provider === notice.provider);
  const isAuthentication = said.makesTransaction === false && said.voidPspId === undefined;
  const byProvider = payments.find(({ notices }) =>
    notices.some((kept) => isNamedBy(kept, said.pspTransactionId)),
  );
  // An authentication has an id of its own, which is not that of the payment it comes before.
  if (byProvider && !isAuthentication) return byProvider;
  return payments.find(
    ({ transactionId, pspTransactionId }) =>
      pspTransactionId === null && notice.references.transactionIds.includes(transactionId),
  );
}

function isNamedBy(kept: PaymentNotice, pspTransactionId: string): boolean {
  if (kept.makesTransaction === false) return false;
  return kept.pspTransactionId === pspTransactionId || kept.aliasPspId === pspTransactionId;
}

function keepRefund(
  { order }: OrderBook,
  transactions: readonly Transaction[],
  notice: DeliveredNotice,
  said: RefundNotice,
): readonly Transaction[] {
  const found = findRefund(transactions, notice, said);
  const before = found ?? {
    transactionId: nameOf(order.orderId, transactions, said, notice),
    provider: notice.provider,
    notices: [],
  };
  const notices = keep(before.notices, { ...said, deliveryKey: notice.deliveryKey });
  const after = foldRefund({ ...before, notices });
  return found ? replace(transactions, after) : [...transactions, after];
}

/** By the provider's id; else the refund that was started here under the same request id. */
function findRefund(
  transactions: readonly Transaction[],
  notice: DeliveredNotice,
  said: RefundNotice,
): Refund | undefined {
  const refunds = refundsOf(transactions).filter(({ provider }) => provider === notice.provider);
  return (
    refunds.find(({ pspTransactionId }) => pspTransactionId === said.pspTransactionId) ??
    refunds.find(
      ({ pspTransactionId, refundRequestId }) =>
        pspTransactionId === null && refundRequestId === said.refundRequestId,
    )
  );
}

function nameOf(
  orderId: string,
  transactions: readonly Transaction[],
  said: PaymentNotice | RefundNotice,
  notice: DeliveredNotice,
): string {
  const timeMs = said.namedAtMs ?? said.recordedAtMs ?? said.startedAtMs ?? said.occurredAtMs;
  const time = timeMs === undefined ? notice.receivedAt : new Date(timeMs);
  return newTransactionId(orderId, time, (id) =>
    transactions.some(({ transactionId }) => transactionId === id),
  );
}

/** A set by delivery key: a repeat changes nothing. */
function keep<N extends { readonly deliveryKey: string }>(notices: readonly N[], fresh: N): N[] {
  const isKept = notices.some(({ deliveryKey }) => deliveryKey === fresh.deliveryKey);
  return isKept ? [...notices] : [...notices, fresh];
}

function replace(transactions: readonly Transaction[], changed: Transaction): Transaction[] {
  return transactions.map((transaction) =>
    transaction.transactionId === changed.transactionId ? changed : transaction,
  );
}

/** Every success but one is a duplicate; the one is the earliest that completes the order. */
function flagDuplicates(
  transactions: readonly Transaction[],
  expected: Expected,
): readonly Transaction[] {
  const [, ...duplicates] = paymentsOf(transactions)
    .filter(({ status }) => status === 'succeeded')
    .sort(
      (a, b) =>
        Number(completes(b, expected)) - Number(completes(a, expected)) ||
        (a.finishedAtMs ?? 0) - (b.finishedAtMs ?? 0) ||
        ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1),
    );
  return transactions.map((transaction) => {
    const flags = transaction.flags.filter((flag) => flag !== 'duplicate_capture');
    const isDuplicate = duplicates.some((payment) => payment === transaction);
    return { ...transaction, flags: withFlags(flags, isDuplicate ? ['duplicate_capture'] : []) };
  });
}

/** Refunds that took or will take more than was paid, in the order's currency. */
function isOverRefunded(transactions: readonly Transaction[], { currency }: Expected): boolean {
  const { paid, refunded, pending } = refundSums(transactions, currency);
  return refunded + pending > paid;
}

/** The sums behind `refund_details`. Decision 4.6. */
export function refundSums(transactions: readonly Transaction[], currency: string) {
  const sum = (type: Transaction['type'], status: Transaction['status']) =>
    transactions
      .filter(
        (entry) => entry.type === type && entry.status === status && entry.currency === currency,
      )
      .reduce((total, { amount }) => total + (amount ?? 0), 0);
  return {
    paid: sum('payment', 'succeeded'),
    refunded: sum('refund', 'succeeded'),
    pending: sum('refund', 'pending'),
  };
}
