/** Translates the gateway's notification to a notice. The transaction classifies it, never `order.status`. */
import type { DisputeNotice } from '../../domain/disputes/dispute.ts';
import { type Translation, unreadable } from '../../domain/inbox/translation.ts';
import type {
  PaymentNotice,
  PaymentRecord,
  PaymentStatus,
  References,
  RefundNotice,
  RefundStatus,
} from '../../domain/payments/notice.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import type { ProviderAccount } from '../provider.ts';
import { id, majorUnits, object, text, type WireObject } from '../wire.ts';
import { readGatewayBody } from './body.ts';
import { gatewayFailure, refundFailure } from './failure.ts';
import { type Outcome, readOutcome } from './outcome.ts';
import { namedAtMs, paymentFields, readReferences, times, totals } from './read-event.ts';

/** What the gateway's transaction types mean to us. */
const translators: ReadonlyMap<string, (event: GatewayEvent) => Translation> = new Map([
  ['PAYMENT', (event) => translatePayment(event, 'succeeded')],
  ['CAPTURE', (event) => translatePayment(event, 'succeeded', 'capture')],
  ['AUTHORIZATION', (event) => translatePayment(event, 'authorized')],
  ['AUTHENTICATION', translateAuthentication],
  ['VOID_PAYMENT', (event) => translateVoid(event, 'void-payment')],
  ['VOID_CAPTURE', (event) => translateVoid(event, 'void-capture')],
  ['VOID_AUTHORIZATION', (event) => translateVoid(event, 'void-authorization')],
  ['VOID_REFUND', translateRefundVoid],
  ['REFUND', (event) => translateRefund(event, 'succeeded')],
  ['REFUND_REQUEST', (event) => translateRefund(event, 'pending')],
  ['CHARGEBACK', translateChargeback],
]);

export function translateGateway(bytes: Buffer, account: ProviderAccount): Translation {
  const body = readGatewayBody(bytes);
  if (!body) return unreadable('the body is neither a JSON object nor form data');
  const order = object(body.order);
  const transaction = object(body.transaction);
  const ids = { order: id(order.id), transaction: id(transaction.id) };
  const type = text(transaction.type);
  if (ids.order === undefined) return unreadable('order.id is missing');
  if (ids.transaction === undefined) return unreadable('transaction.id is missing');
  if (type === undefined) return unreadable('transaction.type is missing');
  const outcome = readOutcome(body);
  if (!outcome) return unreadable('result is missing, and order.status too');

  const translate = translators.get(type);
  if (!translate) return { kind: 'ignored', why: `transactions of type ${type} are not acted on` };
  return translate({
    body,
    orderId: ids.order,
    transactionId: ids.transaction,
    targetId: id(transaction.targetTransactionId),
    outcome,
    references: readReferences(ids.order, order, transaction),
    flags: merchantFlags(body, account),
  });
}

type GatewayEvent = {
  readonly body: WireObject;
  readonly orderId: string;
  readonly transactionId: string;
  readonly targetId: string | undefined;
  readonly outcome: Outcome;
  readonly references: References;
  readonly flags: readonly ReviewFlag[] | undefined;
};

/** A capture belongs to its authorisation, whether it names it or not. Contract 4.9. */
function translatePayment(event: GatewayEvent, onSuccess: PaymentStatus, record?: 'capture') {
  const status = event.outcome === 'success' ? onSuccess : event.outcome;
  const code = text(object(event.body.response).gatewayCode);
  // Of a payment in one step only: after an authorisation, the captures decide.
  const isPartlyApproved = !record && status === 'succeeded' && code === 'PARTIALLY_APPROVED';
  return paymentNotice(event, {
    status,
    record,
    isPartlyApproved: isPartlyApproved ? true : undefined,
    failure: status === 'failed' ? gatewayFailure(event.body) : undefined,
  });
}

/** Contract 6.4: a failed authentication is a failed attempt; any other only updates a payment started here. */
function translateAuthentication(event: GatewayEvent): Translation {
  if (event.outcome === 'failed') {
    return paymentNotice(event, { status: 'failed', failure: gatewayFailure(event.body) });
  }
  return paymentNotice(event, { status: 'pending', record: 'authentication' });
}

/** A pending void holds its payment in `reversing`; a failed void undoes that. */
function translateVoid(event: GatewayEvent, record: PaymentRecord): Translation {
  const statuses = { success: 'reversed', pending: 'reversing', failed: 'new' } as const;
  return paymentNotice(event, { status: statuses[event.outcome], record });
}

/** Contract 4.10: the status is that of the void, not of the refund. */
function translateRefundVoid(event: GatewayEvent): Translation {
  const status = event.outcome === 'success' ? 'succeeded' : event.outcome;
  return refundNotice(event, { status, record: 'void' });
}

function translateRefund(event: GatewayEvent, onSuccess: RefundStatus): Translation {
  const status = event.outcome === 'success' ? onSuccess : event.outcome;
  return refundNotice(event, {
    status,
    refundArn: text(object(event.body.transaction).receipt),
    paymentPspId: targetOf(event),
    failure: status === 'failed' ? refundFailure(event.body) : undefined,
  });
}

/** A notice of which the fields that every notification has are added. */
type Own<Notice extends { readonly status: unknown }> = {
  readonly [Name in keyof Notice]?: Notice[Name] | undefined;
} & Pick<Notice, 'status'>;

function refundNotice(event: GatewayEvent, own: Own<RefundNotice>): Translation {
  const { body, references, flags } = event;
  const { currency, message } = paymentFields(body);
  // The amount of the order is not that of the refund.
  const amount = majorUnits(object(body.transaction).amount, currency);
  const isVoid = own.record === 'void';
  return {
    kind: 'notice',
    notice: {
      references,
      refund: withoutAbsent({
        pspTransactionId: pairOf(event),
        amount,
        currency,
        ...times(body, true),
        message,
        refundRequestId: text(object(body.transaction).reference) ?? event.transactionId,
        targetPspId: isVoid ? targetOf(event) : undefined,
        paymentPspOrder: event.orderId,
        ...totals(body, true),
        ...own,
        flags,
      }) as RefundNotice,
    },
  };
}

/**
 * The bank took the money back, or part of it. The gateway gives such a dispute no id, and it has no other state. One that
 * failed took nothing. Contract 17.1, 17.8.
 */
function translateChargeback(event: GatewayEvent): Translation {
  const { body, orderId, references, flags, outcome } = event;
  const { currency } = paymentFields(body);
  const amount = majorUnits(object(body.transaction).amount, currency);
  const { recordedAtMs, occurredAtMs } = times(body, true);
  const hasFailed = outcome === 'failed';
  const dispute = withoutAbsent({
    disputeId: pairOf(event),
    status: hasFailed ? 'closed' : 'lost',
    occurredAtMs,
    amount,
    currency,
    amountDeducted: hasFailed ? 0 : amount,
    createdAtMs: recordedAtMs,
    paymentPspId: targetOf(event),
    paymentPspOrder: orderId,
    flags,
  }) as DisputeNotice;
  return { kind: 'notice', notice: { references, dispute } };
}

function paymentNotice(event: GatewayEvent, own: Own<PaymentNotice>): Translation {
  const { body, references, flags, orderId } = event;
  const targetPspId = own.record === undefined ? undefined : targetOf(event);
  const isAuthentication = own.record === 'authentication';
  return {
    kind: 'notice',
    notice: {
      references,
      payment: withoutAbsent({
        ...paymentFields(body),
        ...times(body),
        pspTransactionId: pairOf(event),
        pspOrder: orderId,
        targetPspId,
        ...(isAuthentication ? {} : totals(body)),
        // A capture shares the transaction id of its payment.
        namedAtMs: namedAtMs(body, targetPspId ?? pairOf(event)),
        ...own,
        flags,
      }) as PaymentNotice,
    },
  };
}

/** A payment is identified by the pair, because transaction ids are unique within an order only. */
function pairOf(event: GatewayEvent, transactionId: string = event.transactionId): string {
  return `${event.orderId}|${transactionId}`;
}

function targetOf(event: GatewayEvent): string | undefined {
  return event.targetId === undefined ? undefined : pairOf(event, event.targetId);
}

function merchantFlags(body: WireObject, account: ProviderAccount): ReviewFlag[] | undefined {
  const merchant = text(body.merchant);
  const { expectedMerchant } = account;
  const isForeign =
    merchant !== undefined && expectedMerchant !== null && merchant !== expectedMerchant;
  return isForeign ? ['merchant_mismatch'] : undefined;
}
