/**
 * An order with all its transactions, and how a notice changes it. Pure: given the same set of
 * notices in any order it ends in the same state, so applying is keeping the notice and folding.
 */
import {
  claimOwn,
  findTransaction,
  foldAnew,
  isOfItsOwn,
  nameOf,
  namesOf,
  paymentsOf,
  type Started,
  type Unfolded,
} from './matching.ts';
import type { Notice, ProviderName, ReviewFlag } from './notice.ts';
import type { Order, OrderStatus } from './order.ts';
import {
  type Expected,
  matchesExpected,
  type Payment,
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
  const withPayment = keepNotice(book, book.transactions, notice, 'payment');
  const transactions = keepNotice(book, withPayment, notice, 'refund');
  return { ...book, transactions: flagDuplicates(transactions, book.order.amounts) };
}

/** The book with what was asked for here, before any provider has spoken of it; or with more known of it. */
export function keepStart(
  { order, transactions }: OrderBook,
  started: Started,
): OrderBook & { readonly transaction: Transaction } {
  const known = transactions.find(({ transactionId }) => transactionId === started.transactionId);
  const fresh = foldAnew({ ...started, notices: known?.notices ?? [] } as Unfolded, order.amounts);
  const all = known ? replace(transactions, fresh) : [...transactions, fresh];
  const after = flagDuplicates(claimOwn(order, all, started.provider, started.type), order.amounts);
  const transaction = after.find(({ transactionId }) => transactionId === started.transactionId);
  return { order, transactions: after, transaction: transaction ?? fresh };
}

/** A void says something of a payment that has to be known first. */
export function lacksTarget({ transactions }: OrderBook, notice: DeliveredNotice): boolean {
  if (notice.payment?.voidPspId === undefined) return false;
  return !findTransaction(transactions, notice, 'payment');
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

function completes(payment: Payment, expected: Expected): boolean {
  return payment.status === 'succeeded' && matchesExpected(payment, expected);
}

/** In the payment or refund the notice speaks of, or in a new one; then what was started here claims its own. */
function keepNotice(
  { order }: OrderBook,
  transactions: readonly Transaction[],
  notice: DeliveredNotice,
  type: Transaction['type'],
): readonly Transaction[] {
  const said = type === 'payment' ? notice.payment : notice.refund;
  if (!said) return transactions;
  const found = findTransaction(transactions, notice, type);
  if (!found && !isOfItsOwn(said)) return transactions;
  const { provider, deliveryKey, references, receivedAt } = notice;
  const before = found ?? {
    type,
    transactionId: nameOf(order.orderId, transactions, [said], receivedAt),
    provider,
    start: null,
    notices: [],
  };
  const kept = { ...said, deliveryKey, ...namesOf(references) };
  const notices = keep(before.notices as readonly (typeof kept)[], kept);
  const after = foldAnew({ ...before, notices } as Unfolded, order.amounts);
  const all = found ? replace(transactions, after) : [...transactions, after];
  return claimOwn(order, all, provider, type);
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
    const isDuplicate = duplicates.some((payment) => payment === transaction);
    if (isDuplicate === transaction.flags.includes('duplicate_capture')) return transaction;
    const flags = transaction.flags.filter((flag) => flag !== 'duplicate_capture');
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
  const sums = { paid: 0, refunded: 0, pending: 0 };
  for (const entry of transactions) {
    const { type, status, amount } = entry;
    if (entry.currency !== currency || amount === null) continue;
    if (type === 'payment' && status === 'succeeded') sums.paid += amount;
    if (type === 'refund' && status === 'succeeded') sums.refunded += amount;
    if (type === 'refund' && status === 'pending') sums.pending += amount;
  }
  return sums;
}
