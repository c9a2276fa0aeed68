/** Translates the gateway's notification to a notice. The transaction classifies it, never `order.status`. */

import type { Translation } from '../../domain/inbox/translation.ts';
import type {
  PaymentRecord,
  PaymentStatus,
  References,
  RefundStatus,
} from '../../domain/payments/notice.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { ProviderAccount } from '../provider.ts';
import { id, majorUnits, object, present, text, type WireObject } from '../wire.ts';
import { readGatewayBody } from './body.ts';
import { displayName } from './display-name.ts';
import { gatewayFailure, refundFailure } from './failure.ts';
import { type Outcome, readOutcome } from './outcome.ts';
import { paymentFields, totals } from './payment.ts';
import { namedAtMs, readReferences, times } from './read-event.ts';

/** What the gateway's transaction types mean to us. */
type Meaning =
  | { readonly about: 'payment'; readonly onSuccess: PaymentStatus }
  | { readonly about: 'capture' }
  | { readonly about: 'authentication' }
  | { readonly about: 'void'; readonly record: PaymentRecord }
  | { readonly about: 'refund'; readonly onSuccess: RefundStatus }
  | { readonly about: 'refund-void' }
  | { readonly about: 'chargeback' };

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['PAYMENT', { about: 'payment', onSuccess: 'succeeded' }],
  ['CAPTURE', { about: 'capture' }],
  ['AUTHORIZATION', { about: 'payment', onSuccess: 'authorized' }],
  ['AUTHENTICATION', { about: 'authentication' }],
  ['VOID_PAYMENT', { about: 'void', record: 'void-payment' }],
  ['VOID_CAPTURE', { about: 'void', record: 'void-capture' }],
  ['VOID_AUTHORIZATION', { about: 'void', record: 'void-authorization' }],
  ['VOID_REFUND', { about: 'refund-void' }],
  ['REFUND', { about: 'refund', onSuccess: 'succeeded' }],
  ['REFUND_REQUEST', { about: 'refund', onSuccess: 'pending' }],
  ['CHARGEBACK', { about: 'chargeback' }],
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

  const meaning = meanings.get(type);
  if (!meaning) return ignore(type);
  const event: GatewayEvent = {
    body,
    orderId: ids.order,
    transactionId: ids.transaction,
    targetId: id(transaction.targetTransactionId),
    outcome,
    references: readReferences(ids.order, order, transaction),
    flags: merchantFlags(body, account),
  };
  switch (meaning.about) {
    case 'payment':
      return translatePayment(event, meaning.onSuccess);
    case 'capture':
      return translateCapture(event);
    case 'authentication':
      return translateAuthentication(event);
    case 'void':
      return translateVoid(event, meaning.record);
    case 'refund':
      return translateRefund(event, meaning.onSuccess);
    case 'refund-void':
      return translateRefundVoid(event);
    case 'chargeback':
      return translateChargeback(event);
    default:
      return meaning satisfies never;
  }
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

function translatePayment(event: GatewayEvent, onSuccess: PaymentStatus): Translation {
  const status = event.outcome === 'success' ? onSuccess : event.outcome;
  const code = text(object(event.body.response).gatewayCode);
  // Of a payment in one step only: after an authorisation, the captures decide.
  const isPartlyApproved = status === 'succeeded' && code === 'PARTIALLY_APPROVED';
  return paymentNotice(event, {
    status,
    isPartlyApproved: isPartlyApproved ? true : undefined,
    failure: status === 'failed' ? gatewayFailure(event.body) : undefined,
  });
}

/** A capture belongs to its authorisation, whether it names it or not. Contract 4.9. */
function translateCapture(event: GatewayEvent): Translation {
  const status = event.outcome === 'success' ? 'succeeded' : event.outcome;
  return paymentNotice(event, {
    status,
    record: 'capture',
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
  const statuses = { success: 'succeeded', pending: 'pending', failed: 'failed' } as const;
  return refundNotice(event, { status: statuses[event.outcome], record: 'void' });
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

type NoticeOf<Kind extends 'payment' | 'refund'> = NonNullable<
  Extract<Translation, { kind: 'notice' }>['notice'][Kind]
>;

type Own<Kind extends 'payment' | 'refund'> = {
  readonly [Name in keyof NoticeOf<Kind>]?: NoticeOf<Kind>[Name] | undefined;
} & Pick<NoticeOf<Kind>, 'status'>;

function refundNotice(event: GatewayEvent, own: Own<'refund'>): Translation {
  const { body, references, flags } = event;
  const { currency, message } = paymentFields(body);
  // The amount of the order is not that of the refund.
  const amount = majorUnits(object(body.transaction).amount, currency);
  const isVoid = own.record === 'void';
  return {
    kind: 'notice',
    notice: {
      references,
      refund: present({
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
      }) as NoticeOf<'refund'>,
    },
  };
}

/** Contract 6.9: a person decides what a chargeback means for the payment. */
function translateChargeback(event: GatewayEvent): Translation {
  const { references } = event;
  const pspTransactionId = targetOf(event);
  return {
    kind: 'report',
    state: 'needs_review',
    names: { references, ...(pspTransactionId !== undefined && { payment: { pspTransactionId } }) },
    why: `${displayName} reports a chargeback`,
    flags: ['chargeback', ...(event.flags ?? [])],
  };
}

function paymentNotice(event: GatewayEvent, own: Own<'payment'>): Translation {
  const { body, references, flags, orderId } = event;
  const targetPspId = own.record === undefined ? undefined : targetOf(event);
  const isAuthentication = own.record === 'authentication';
  return {
    kind: 'notice',
    notice: {
      references,
      payment: present({
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
      }) as NoticeOf<'payment'>,
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

function ignore(type: string): Translation {
  return { kind: 'ignored', why: `transactions of type ${type} are not acted on` };
}

function unreadable(why: string): Translation {
  return { kind: 'unreadable', why };
}
