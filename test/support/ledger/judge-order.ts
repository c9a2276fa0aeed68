/** Compares an order with what is true of it. Each line of the result says what is wrong. */
import { listContradictions } from '../../../tools/harness/compare-events.ts';
import type { Reply } from '../test-service.ts';
import { type LedgerOrder, toMinor } from './ledger-order.ts';
import type { TruePayment, TrueRefund, Truth } from './truth.ts';

type Body = Reply['body'];
type Wrong = string | false | undefined;

export function judgeOrder(
  order: LedgerOrder,
  truth: Truth,
  enquiry: Body,
  events: readonly Body[],
  wasRefused: (refundId: string) => boolean,
): string[] {
  const wrongs: Wrong[] = [
    ...judgeAsked(order, truth),
    ...judgePayments(truth, enquiry),
    ...judgeRefunds(truth, enquiry),
    ...judgeOthers(truth, enquiry),
    ...judgeFailed(order, truth, enquiry, wasRefused),
    ...judgeSums(truth, enquiry),
    ...listContradictions(enquiry, events as Parameters<typeof listContradictions>[1]),
    ...judgeEvents(order, truth, enquiry, events),
  ];
  return wrongs.filter((wrong) => typeof wrong === 'string');
}

/** Each request moved at most what it asked for, and nothing moved that nobody asked for. */
function judgeAsked({ asked }: LedgerOrder, { refunds, payments }: Truth): Wrong[] {
  const paidMax = Math.max(0, ...payments.map(({ captured }) => captured));
  const requests = asked.map(({ requestId, amount = paidMax, refundIds }): Wrong => {
    const own = refunds.filter(({ id }) => refundIds.has(id));
    // A failed refund may be asked for again. If the provider makes the failed one after all, that is its doing.
    const moved = own.map((refund) => refund.moved - (own.length > 1 ? refund.movedLate : 0));
    const sum = moved.reduce((total, one) => total + one, 0);
    return sum > amount && `${requestId} asked for ${amount}, and ${sum} moved`;
  });
  const nobodys = refunds.filter(
    ({ id, isOurs }) => isOurs && !asked.some(({ refundIds }) => refundIds.has(id)),
  );
  return [
    ...requests,
    ...nobodys.map(({ id, moved }): Wrong => moved > 0 && `nobody asked for ${id}: ${moved} moved`),
    ...payments.map(
      ({ id, refunded, captured }): Wrong =>
        refunded > captured && `of ${id}, ${captured} were paid and ${refunded} refunded`,
    ),
  ];
}

const withoutMoney = {
  created: ['pending', 'new', 'failed'],
  failed: ['failed', 'pending'],
  authorized: ['authorized'],
  reversed: ['reversed'],
  captured: ['reversed'],
} as const;

function judgePayments({ payments }: Truth, { transaction }: Body): Wrong[] {
  return payments.flatMap((payment): Wrong[] => {
    const { id, captured, status } = payment;
    const shown = transaction.filter((entry: Body) => isOf(payment, entry));
    const [first] = shown;
    if (shown.length > 1) return [`${id} is shown ${shown.length} times`];
    if (captured === 0) {
      const fits = !first || withoutMoney[status].some((word) => word === first.payment_status);
      const mayMiss = status === 'failed' || status === 'created';
      return [
        !fits && `${id} is ${first.payment_status}, and at the provider ${status}`,
        !first && !mayMiss && `${id} is ${status} at the provider, and not shown`,
      ];
    }
    if (!first) return [`${id} was captured (${captured}), and is not shown`];
    const amount = toMinor(first.transaction_amount);
    return [
      first.payment_status !== 'succeeded' && `${id} was captured, and is ${first.payment_status}`,
      amount !== captured && `${id} has ${amount}, and ${captured} were captured`,
      toMinor(first.offer_discount ?? 0) !== payment.discount &&
        `${id} shows a discount of ${first.offer_discount}, the provider gave ${payment.discount}`,
    ];
  });
}

/** If the webhook of an authorisation was lost, its payment has the id of the capture. */
function isOf({ id, captureIds }: TruePayment, { psp_transaction_id }: Body): boolean {
  return id === psp_transaction_id || captureIds.includes(psp_transaction_id);
}

function judgeRefunds({ refunds }: Truth, enquiry: Body): Wrong[] {
  return refunds.flatMap((refund): Wrong[] => {
    const { id, moved, status } = refund;
    const shown = refundsNamed(enquiry, refund);
    const [first] = shown;
    if (shown.length > 1) return [`refund ${id} is shown ${shown.length} times`];
    // One that was made elsewhere and came to nothing need not be known.
    if (!first) return [(moved > 0 || refund.isOurs) && `refund ${id} (${moved}) is not shown`];
    const amount = toMinor(first.transaction_amount);
    return [
      first.refund_status !== status && `refund ${id} is ${first.refund_status}, not ${status}`,
      moved > 0 && amount !== moved && `refund ${id} has ${amount}, and ${moved} moved`,
    ];
  });
}

function refundsNamed({ transaction }: Body, { id, isOurs }: TrueRefund): Body[] {
  return transaction.filter((entry: Body) =>
    isOurs ? entry.svc_transaction_id === id : entry.psp_transaction_id === id,
  );
}

/** What the provider does not have moved no money. */
function judgeOthers(truth: Truth, enquiry: Body): Wrong[] {
  const known = new Set<Body>([
    ...truth.refunds.flatMap((refund) => refundsNamed(enquiry, refund)),
    ...enquiry.transaction.filter((entry: Body) =>
      truth.payments.some((payment) => isOf(payment, entry)),
    ),
  ]);
  return enquiry.transaction
    .filter((entry: Body) => !known.has(entry))
    .map((entry: Body): Wrong => {
      const status = entry.payment_status ?? entry.refund_status;
      const mayBe = ['new', 'pending', 'failed'].includes(status);
      return !mayBe && `${entry.svc_transaction_id} is ${status}, and unknown to the provider`;
    });
}

/** A refund that was accepted here fails only if the provider says so. */
function judgeFailed(
  { asked, scenario }: LedgerOrder,
  { payments, refunds }: Truth,
  { transaction }: Body,
  wasRefused: (refundId: string) => boolean,
): Wrong[] {
  // The provider refuses to refund a capture that was voided meanwhile.
  if (scenario.behaviour?.gateway === 'captured-again') return [];
  // Then there may be less left than the service could know, and the provider refuses by itself.
  if (refunds.some(({ isOurs, movedLate }) => !isOurs || movedLate > 0)) return [];
  const isAsked = ({ svc_transaction_id: id }: Body) =>
    asked.some(({ refundIds }) => refundIds.has(id));
  // Nothing is left to refund once the payment is released, also if our call never arrived.
  const isReleased = ({ psp_transaction_id: id }: Body) =>
    payments.some(({ status, reference }) => {
      return status === 'reversed' && id?.startsWith(`${reference}|`);
    });
  return transaction
    .filter((entry: Body) => isAsked(entry) && entry.refund_status === 'failed')
    .filter((entry: Body) => !isReleased(entry))
    .map(({ svc_transaction_id: id }: Body): Wrong => {
      const isKnown = refunds.some((refund) => refund.id === id);
      return !isKnown && !wasRefused(id) && `refund ${id} is failed, and was never refused`;
    });
}

function judgeSums({ payments, refunds, isCompleted }: Truth, enquiry: Body): Wrong[] {
  const { order } = enquiry;
  const status = isCompleted ? 'completed' : 'lapsed';
  const paid = payments.filter(({ captured }) => captured > 0);
  const expected = {
    total: add(paid, ({ captured, fee }) => captured - fee),
    refunded: add(refunds, ({ moved }) => moved),
    available: add(paid, ({ captured, fee, refunded, claimed }) =>
      Math.max(0, captured - fee - refunded - claimed),
    ),
  };
  const { refund_details: details } = order;
  const shown = {
    total: toMinor(details?.total_refundable_amount ?? 0),
    refunded: toMinor(details?.refunded_amount ?? 0),
    available: toMinor(details?.available_refundable_amount ?? 0),
  };
  return [
    order.status !== status && `the order is ${order.status}, not ${status}`,
    ...(['total', 'refunded'] as const).map(
      (name): Wrong =>
        shown[name] !== expected[name] && `${name} is ${shown[name]}, not ${expected[name]}`,
    ),
    (shown.available > expected.available ||
      shown.available < expected.available - pendingOf(enquiry)) &&
      `available is ${shown.available}, not ${expected.available}`,
  ];
}

/** A refund whose call never arrived may stay pending, and what it asked for is not available. */
function pendingOf({ transaction }: Body): number {
  const pending: Body[] = transaction.filter((entry: Body) => entry.refund_status === 'pending');
  return add(
    pending.filter(({ transaction_type }) => transaction_type !== 'payment'),
    ({ transaction_amount }) => toMinor(transaction_amount),
  );
}

/** Nothing was announced that was not so. The last events were compared with the enquiry before. */
function judgeEvents(
  order: LedgerOrder,
  truth: Truth,
  enquiry: Body,
  events: readonly Body[],
): Wrong[] {
  const announced = (type: string, id: string | undefined) =>
    events.some((event) => event.event_type === type && event.svc_transaction_id === id);
  const idOf = (payment: TruePayment): string | undefined =>
    enquiry.transaction.find((entry: Body) => isOf(payment, entry))?.svc_transaction_id;
  const duplicates = new Set(
    events
      .filter(({ event_type, message }) => {
        return event_type === 'review_needed' && message === 'duplicate_capture';
      })
      .map(({ svc_transaction_id }) => svc_transaction_id),
  );
  const captures = truth.payments.filter(({ wasCaptured }) => wasCaptured).length;
  return [
    duplicates.size > Math.max(0, captures - 1) &&
      `${duplicates.size} duplicates of ${captures} payments were announced`,
    ...truth.payments
      .filter(({ captured, wasFailed }) => captured > 0 && !wasFailed)
      .map((payment): Wrong => {
        return (
          announced('payment_failed', idOf(payment)) && `${payment.id} was announced as failed`
        );
      }),
    // A discount is only believed once the provider's order is known.
    ...truth.payments
      .filter(({ captured, fee }) => captured - fee === order.total)
      .map((payment): Wrong => {
        const isFlagged = events.some(
          ({ message, svc_transaction_id }) =>
            message === 'amount_mismatch' && svc_transaction_id === idOf(payment),
        );
        return isFlagged && `${payment.id} was announced with a wrong amount`;
      }),
    ...truth.refunds
      .filter(({ moved, wasFailed }) => moved > 0 && !wasFailed)
      .map(({ id }): Wrong => announced('refund_failed', id) && `${id} was announced as failed`),
  ];
}

function add<T>(entries: readonly T[], amountOf: (entry: T) => number): number {
  return entries.reduce((sum, entry) => sum + amountOf(entry), 0);
}
