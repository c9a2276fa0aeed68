/** The gateway's notification to a notice: classified by the transaction, never by `order.status`. */
import type { PaymentStatus, References, RefundStatus, ReviewFlag } from '../../domain/notice.ts';
import type { ProviderAccount, Translation } from '../provider.ts';
import { id, majorUnits, object, present, references, text, type WireObject } from '../wire.ts';
import { readGatewayBody } from './body.ts';
import { gatewayFailure, refundFailure } from './failure.ts';
import { type Outcome, readOutcome } from './outcome.ts';
import { paymentMembers } from './payment.ts';
import { namedAtMs, times } from './times.ts';

/** What the gateway's transaction types are to us. */
type Meaning =
  | { readonly about: 'payment'; readonly onSuccess: PaymentStatus; readonly isCapture?: true }
  | { readonly about: 'authentication' }
  | { readonly about: 'void' }
  | { readonly about: 'refund'; readonly onSuccess: RefundStatus };

const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['PAYMENT', { about: 'payment', onSuccess: 'succeeded' }],
  ['CAPTURE', { about: 'payment', onSuccess: 'succeeded', isCapture: true }],
  ['AUTHORIZATION', { about: 'payment', onSuccess: 'authorized' }],
  ['AUTHENTICATION', { about: 'authentication' }],
  ['VOID_PAYMENT', { about: 'void' }],
  ['VOID_CAPTURE', { about: 'void' }],
  ['VOID_AUTHORIZATION', { about: 'void' }],
  ['REFUND', { about: 'refund', onSuccess: 'succeeded' }],
  ['REFUND_REQUEST', { about: 'refund', onSuccess: 'pending' }],
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
      return aboutPayment(said, meaning);
    case 'authentication':
      return aboutAuthentication(said);
    case 'void':
      return aboutVoid(said);
    case 'refund':
      return aboutRefund(said, meaning.onSuccess);
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

function aboutPayment(
  said: Said,
  meaning: { readonly onSuccess: PaymentStatus; readonly isCapture?: true },
): Translation {
  const status = said.outcome === 'success' ? meaning.onSuccess : said.outcome;
  const { isCapture } = meaning;
  // A capture belongs to the authorisation it takes from, with all that was captured of it.
  const pspTransactionId = pairOf(said, isCapture ? said.targetId : undefined);
  const captured = isCapture && status === 'succeeded' ? capturedTotal(said.body) : undefined;
  return payment(said, {
    pspTransactionId,
    status,
    isCapture,
    aliasPspId: isCapture && said.targetId !== undefined ? pairOf(said) : undefined,
    ...(captured !== undefined && { amount: captured }),
    failure: status === 'failed' ? gatewayFailure(said.body) : undefined,
  });
}

/** Decision 6.4: one that failed is a failed attempt, any other moves a payment started here. */
function aboutAuthentication(said: Said): Translation {
  const pspTransactionId = pairOf(said);
  if (said.outcome === 'failed') {
    return payment(said, {
      pspTransactionId,
      status: 'failed',
      failure: gatewayFailure(said.body),
    });
  }
  return payment(said, { pspTransactionId, status: 'pending', makesTransaction: false });
}

/** A void belongs to the payment it targets and waits for it; one that failed takes back its own pending. */
function aboutVoid(said: Said): Translation {
  if (said.targetId === undefined) {
    return {
      kind: 'ignored',
      why: 'a void without targetTransactionId names no payment',
      flags: ['target_unknown'],
    };
  }
  const statuses = { success: 'reversed', pending: 'reversing', failed: 'new' } as const;
  return payment(said, {
    pspTransactionId: pairOf(said, said.targetId),
    status: statuses[said.outcome],
    voidPspId: pairOf(said),
    makesTransaction: false,
  });
}

function aboutRefund(said: Said, onSuccess: RefundStatus): Translation {
  const { body } = said;
  const status = said.outcome === 'success' ? onSuccess : said.outcome;
  const transaction = object(body.transaction);
  const members = paymentMembers(body);
  return {
    kind: 'notice',
    notice: {
      references: said.references,
      refund: present({
        pspTransactionId: pairOf(said),
        status,
        amount: members.amount,
        currency: members.currency,
        ...times(body, true),
        message: members.message,
        refundRequestId: text(transaction.reference) ?? said.transactionId,
        refundArn: text(transaction.receipt),
        paymentPspId: said.targetId && pairOf(said, said.targetId),
        paymentPspOrder: said.orderId,
        failure: status === 'failed' ? refundFailure(body) : undefined,
        flags: said.flags,
      }),
    },
  };
}

function payment(
  said: Said,
  members: Pick<PaymentNoticeMembers, 'pspTransactionId' | 'status'> &
    Partial<PaymentNoticeMembers>,
): Translation {
  return {
    kind: 'notice',
    notice: {
      references: said.references,
      payment: present({
        ...paymentMembers(said.body),
        ...times(said.body),
        namedAtMs: namedAtMs(said.body, members.pspTransactionId),
        ...members,
        flags: said.flags,
      }),
    },
  };
}

type PaymentNoticeMembers = NonNullable<
  Extract<Translation, { kind: 'notice' }>['notice']['payment']
>;

/** The pair names a payment: ids of transactions are unique within an order only. */
function pairOf(said: Said, transactionId: string = said.transactionId): string {
  return `${said.orderId}|${transactionId}`;
}

function capturedTotal(body: WireObject): number | undefined {
  const order = object(body.order);
  return majorUnits(order.totalCapturedAmount, text(order.currency));
}

/** `order.id` may be any of our three ids; only when it is none do the references count. */
function readReferences(orderId: string, order: WireObject, transaction: WireObject): References {
  const anyOf = (ids: string[]) => ({ transactionIds: ids, orderIds: ids, invoiceIds: ids });
  const others = references(order.reference, transaction.reference);
  return {
    ...anyOf([orderId]),
    providerOrderId: orderId,
    otherwise: others.map((other) => anyOf([other])),
  };
}

function merchantFlags(body: WireObject, account: ProviderAccount): ReviewFlag[] | undefined {
  const merchant = text(body.merchant);
  const expected = account.bankGatewayMerchant;
  const isForeign = merchant !== undefined && expected !== null && merchant !== expected;
  return isForeign ? ['merchant_mismatch'] : undefined;
}

function ignore(type: string): Translation {
  return {
    kind: 'ignored',
    why: `transactions of type ${type} are not acted on`,
    ...(type === 'CHARGEBACK' && { flags: ['chargeback'] as const }),
  };
}

function unreadable(why: string): Translation {
  return { kind: 'unreadable', why };
}
