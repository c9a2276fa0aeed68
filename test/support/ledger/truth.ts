/**
 * What is true of an order: computed from the money that moved at the providers, without any code of the service. The
 * state of the providers says the rest, such as whether a payment without money failed or was reversed.
 */
import type {
  Ledger,
  LedgerPayment,
  LedgerRefund,
  Movement,
} from '../../../simulator/simulator.ts';

export type TruePayment = Pick<
  LedgerPayment,
  'id' | 'reference' | 'status' | 'fee' | 'discount'
> & {
  /** What the consumer paid and did not get back by a void. */
  readonly captured: number;
  /** The provider's ids of the captures, or of the payment itself. */
  readonly captureIds: readonly string[];
  readonly wasCaptured: boolean;
  readonly refunded: number;
  /** By disputes that are open or lost. */
  readonly claimed: number;
  /** The provider itself reported this payment, or another attempt of it, as failed. */
  readonly wasFailed: boolean;
};

export type TrueRefund = {
  /** Our id, or the provider's if it was made elsewhere. */
  readonly id: string;
  readonly isOurs: boolean;
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly moved: number;
  /** What moved although the provider had reported it as failed before. */
  readonly movedLate: number;
  /** The provider itself reported it, or a part of it, as failed. */
  readonly wasFailed: boolean;
};

export type Truth = {
  readonly payments: readonly TruePayment[];
  readonly refunds: readonly TrueRefund[];
  readonly isCompleted: boolean;
};

export function truthOf(
  { orderId, total }: { readonly orderId: string; readonly total: number },
  ledger: Ledger,
  moved: readonly Movement[],
): Truth {
  const own = ledger.payments.filter(({ reference }) => reference.startsWith(`${orderId}-`));
  const ids = new Set(own.map(({ id }) => id));
  const ownMoved = moved.filter(({ paymentId }) => ids.has(paymentId));
  const claims = ledger.disputes.filter(({ status }) => status !== 'won' && status !== 'closed');
  const payments = own.map((payment) => ({
    ...truePayment(payment, own, ownMoved),
    claimed: sumOf(claims.filter(({ paymentId }) => paymentId === payment.id)),
  }));
  const refunds = ledger.refunds.filter(({ paymentId }) => ids.has(paymentId));
  const byId = Map.groupBy(refunds, refundIdOf);
  return {
    payments,
    refunds: [...byId].map(([id, parts]) => trueRefund(id, parts, ownMoved)),
    isCompleted: payments.some(
      ({ captured, fee, discount }) => captured > 0 && captured - fee + discount === total,
    ),
  };
}

function truePayment(
  { id, reference, status, fee, discount }: LedgerPayment,
  all: readonly LedgerPayment[],
  moved: readonly Movement[],
): Omit<TruePayment, 'claimed'> {
  const sum = (kind: Movement['kind']) =>
    sumOf(moved.filter((entry) => entry.paymentId === id && entry.kind === kind));
  const isLate = moved.some((entry) => entry.paymentId === id && entry.isAfterFailure);
  return {
    id,
    reference,
    status,
    fee,
    discount,
    captured: sum('captured') - sum('returned'),
    captureIds: moved
      .filter((entry) => entry.paymentId === id && entry.kind === 'captured')
      .map((entry) => entry.id),
    wasCaptured: sum('captured') > 0,
    refunded: sum('refunded'),
    wasFailed:
      isLate || all.some((other) => other.reference === reference && other.status === 'failed'),
  };
}

/** A refund of several captures is one call for each; they are numbered from the second one on. */
function refundIdOf({ id, reference }: LedgerRefund): string {
  return isOurs({ reference }) ? reference.replace(/(?<=-\d{12})-\d{1,2}$/, '') : id;
}

/** Our ids end with a time, and a refund that was made elsewhere has none of ours. */
function isOurs({ reference }: Pick<LedgerRefund, 'reference'>): boolean {
  return /-\d{12}(-\d{1,2})?$/.test(reference);
}

/** Decision of the contract: what reached the consumer was refunded, whatever became of another part. */
function trueRefund(
  id: string,
  parts: readonly LedgerRefund[],
  allMoved: readonly Movement[],
): TrueRefund {
  const moved = allMoved.filter(
    (entry) => entry.kind === 'refunded' && parts.some((part) => part.id === entry.id),
  );
  const isPending = parts.some(({ status }) => status === 'pending');
  const late = moved.filter(({ isAfterFailure }) => isAfterFailure);
  return {
    id,
    isOurs: parts.some(isOurs),
    status: isPending ? 'pending' : moved.length > 0 ? 'succeeded' : 'failed',
    moved: sumOf(moved),
    movedLate: sumOf(late),
    wasFailed: late.length > 0 || parts.some(({ status }) => status === 'failed'),
  };
}

export function sumOf(entries: readonly { readonly amount: number }[]): number {
  return entries.reduce((sum, { amount }) => sum + amount, 0);
}
