/** The gateway's notification to a notice: classified by the transaction, never by `order.status`. */

import type { ReviewFlag } from '../../domain/review-flag.ts';
import type {
  PaymentRecord,
  PaymentStatus,
  References,
  RefundStatus,
} from '../../domain/transactions/notice.ts';
import type { ProviderAccount, Translation } from '../provider.ts';
import { id, object, present, text, type WireObject } from '../wire.ts';
import { readGatewayBody } from './body.ts';
import { capturedTotal } from './captured-total.ts';
import { gatewayFailure, refundFailure } from './failure.ts';
import { type Outcome, readOutcome } from './outcome.ts';
import { paymentFields } from './payment.ts';
import { readReferences } from './references.ts';
import { namedAtMs, times } from './times.ts';

/** What the gateway's transaction types are to us. */
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
  const said: Said = {
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
      return aboutPayment(said, meaning.onSuccess);
    case 'capture':
      return aboutCapture(said);
    case 'authentication':
      return aboutAuthentication(said);
    case 'void':
      return aboutVoid(said, meaning.record);
    case 'refund':
      return aboutRefund(said, meaning.onSuccess);
    case 'refund-void':
      return aboutRefundVoid(said);
    case 'chargeback':
      return aboutChargeback(said);
    default:
      return meaning satisfies never;
  }
}

type Said = {
  readonly body: WireObject;
  readonly orderId: string;
  readonly transactionId: string;
  readonly targetId: string | undefined;
  readonly outcome: Outcome;
  readonly references: References;
  readonly flags: readonly ReviewFlag[] | undefined;
};

function aboutPayment(said: Said, onSuccess: PaymentStatus): Translation {
  const status = said.outcome === 'success' ? onSuccess : said.outcome;
  return payment(said, {
    status,
    failure: status === 'failed' ? gatewayFailure(said.body) : undefined,
  });
}

/** A capture belongs to the authorisation it takes from, whether it names it or not. Contract 4.9. */
function aboutCapture(said: Said): Translation {
  const status = said.outcome === 'success' ? 'succeeded' : said.outcome;
  return payment(said, {
    status,
    record: 'capture',
    failure: status === 'failed' ? gatewayFailure(said.body) : undefined,
  });
}

/** Contract 6.4: one that failed is a failed attempt, any other moves a payment started here. */
function aboutAuthentication(said: Said): Translation {
  if (said.outcome === 'failed') {
    return payment(said, { status: 'failed', failure: gatewayFailure(said.body) });
  }
  return payment(said, { status: 'pending', record: 'authentication' });
}

/** A void waits for what it takes back; one that failed takes back what it said while it was pending. */
function aboutVoid(said: Said, record: PaymentRecord): Translation {
  const statuses = { success: 'reversed', pending: 'reversing', failed: 'new' } as const;
  return payment(said, { status: statuses[said.outcome], record });
}

/** Contract 4.10: the status is that of the void. */
function aboutRefundVoid(said: Said): Translation {
  const statuses = { success: 'succeeded', pending: 'pending', failed: 'failed' } as const;
  return refund(said, { status: statuses[said.outcome], record: 'void' });
}

function aboutRefund(said: Said, onSuccess: RefundStatus): Translation {
  const status = said.outcome === 'success' ? onSuccess : said.outcome;
  return refund(said, {
    status,
    refundArn: text(object(said.body.transaction).receipt),
    paymentPspId: targetOf(said),
    failure: status === 'failed' ? refundFailure(said.body) : undefined,
  });
}

type NoticeOf<Kind extends 'payment' | 'refund'> = NonNullable<
  Extract<Translation, { kind: 'notice' }>['notice'][Kind]
>;

type Own<Kind extends 'payment' | 'refund'> = {
  readonly [Name in keyof NoticeOf<Kind>]?: NoticeOf<Kind>[Name] | undefined;
} & Pick<NoticeOf<Kind>, 'status'>;

function refund(said: Said, own: Own<'refund'>): Translation {
  const { body, references, flags } = said;
  const { amount, currency, message } = paymentFields(body);
  const isVoid = own.record === 'void';
  return {
    kind: 'notice',
    notice: {
      references,
      refund: present({
        pspTransactionId: pairOf(said),
        amount,
        currency,
        ...times(body, true),
        message,
        refundRequestId: text(object(body.transaction).reference) ?? said.transactionId,
        targetPspId: isVoid ? targetOf(said) : undefined,
        paymentPspOrder: said.orderId,
        capturedTotal: capturedTotal(body),
        ...own,
        flags,
      }) as NoticeOf<'refund'>,
    },
  };
}

/** Contract 6.9: a person decides what it means for the payment. */
function aboutChargeback(said: Said): Translation {
  const { references } = said;
  const pspTransactionId = targetOf(said);
  return {
    kind: 'report',
    state: 'needs_review',
    names: { references, ...(pspTransactionId !== undefined && { payment: { pspTransactionId } }) },
    why: 'the bank gateway reports a chargeback',
    flags: ['chargeback', ...(said.flags ?? [])],
  };
}

function payment(said: Said, own: Own<'payment'>): Translation {
  const { body, references, flags, orderId } = said;
  const targetPspId = own.record === undefined ? undefined : targetOf(said);
  const isAuthentication = own.record === 'authentication';
  return {
    kind: 'notice',
    notice: {
      references,
      payment: present({
        ...paymentFields(body),
        ...times(body),
        pspTransactionId: pairOf(said),
        pspOrder: orderId,
        targetPspId,
        capturedTotal: isAuthentication ? undefined : capturedTotal(body),
        // A capture is named like the payment it belongs to.
        namedAtMs: namedAtMs(body, targetPspId ?? pairOf(said)),
        ...own,
        flags,
      }) as NoticeOf<'payment'>,
    },
  };
}

/** The pair names a payment: ids of transactions are unique within an order only. */
function pairOf(said: Said, transactionId: string = said.transactionId): string {
  return `${said.orderId}|${transactionId}`;
}

function targetOf(said: Said): string | undefined {
  return said.targetId === undefined ? undefined : pairOf(said, said.targetId);
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
