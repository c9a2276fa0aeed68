/** Translates Acme Pay's deliveries to notices: a charge is a payment, a return is a refund. */
import type { Translation } from '../../../src/domain/inbox/translation.ts';
import { failureReason } from '../../../src/domain/payments/failure.ts';
import type {
  PaymentNotice,
  PaymentStatus,
  References,
  RefundNotice,
  RefundStatus,
} from '../../../src/domain/payments/notice.ts';
import type { ReviewFlag } from '../../../src/domain/review-flag.ts';
import { withoutAbsent } from '../../../src/domain/without-absent.ts';
import type { ProviderAccount } from '../../../src/providers/provider.ts';
import {
  id,
  jsonObject,
  minorUnits,
  object,
  references,
  text,
  unixSeconds,
  type WireObject,
} from '../../../src/providers/wire.ts';

const chargeStates: ReadonlyMap<string, PaymentStatus> = new Map<string, PaymentStatus>([
  ['open', 'pending'],
  ['paid', 'succeeded'],
  ['declined', 'failed'],
]);
const returnStates: ReadonlyMap<string, RefundStatus> = new Map<string, RefundStatus>([
  ['open', 'pending'],
  ['done', 'succeeded'],
  ['failed', 'failed'],
]);

export function translateAcmePay(bytes: Buffer, account: ProviderAccount): Translation {
  const body = jsonObject(bytes);
  if (!body) return unreadable('the body is not a JSON object');
  const type = text(body.type);
  if (type === undefined) return unreadable('type is missing');
  if (type === 'charge.updated') return translateCharge(body, account);
  if (type === 'return.updated') return translateReturn(body, account);
  return { kind: 'ignored', why: `the type ${type} is not acted on`, isForeignEvent: true };
}

function translateCharge(body: WireObject, account: ProviderAccount): Translation {
  const charge = object(body.charge);
  const pspTransactionId = id(charge.id);
  if (pspTransactionId === undefined) return unreadable('charge.id is missing');
  const status = chargeStates.get(text(charge.state) ?? '') ?? 'pending';
  const reason = text(charge.reason);
  const payment = withoutAbsent({
    ...commonFields(charge, body, account),
    pspTransactionId,
    status,
    message: reason,
    failure:
      status === 'failed'
        ? failureReason('DECLINED_BY_BANK', `Acme Pay reports: ${reason ?? 'declined'}.`)
        : undefined,
  }) as PaymentNotice;
  return { kind: 'notice', notice: { references: referencesOf(charge), payment } };
}

function translateReturn(body: WireObject, account: ProviderAccount): Translation {
  const returned = object(body.return);
  const pspTransactionId = id(returned.id);
  const paymentPspId = id(returned.charge);
  if (pspTransactionId === undefined) return unreadable('return.id is missing');
  if (paymentPspId === undefined) return unreadable('return.charge is missing');
  const status = returnStates.get(text(returned.state) ?? '') ?? 'pending';
  const refund = withoutAbsent({
    ...commonFields(returned, body, account),
    pspTransactionId,
    paymentPspId,
    status,
    refundRequestId: text(returned.reference) ?? pspTransactionId,
    failure:
      status === 'failed'
        ? failureReason('REFUND_FAILED', 'Acme Pay reports that the refund failed.')
        : undefined,
  }) as RefundNotice;
  return { kind: 'notice', notice: { references: referencesOf({}), refund } };
}

function commonFields(record: WireObject, { at, store }: WireObject, account: ProviderAccount) {
  const startedAtMs = unixSeconds(record.created);
  return {
    amount: minorUnits(record.cents),
    currency: text(record.currency),
    occurredAtMs: unixSeconds(at) ?? startedAtMs,
    statusSinceMs: unixSeconds(at),
    startedAtMs,
    recordedAtMs: startedAtMs,
    flags: flagsOf(text(store), account),
  };
}

function flagsOf(store: string | undefined, account: ProviderAccount): ReviewFlag[] | undefined {
  const { expectedMerchant } = account;
  const isForeign = store !== undefined && expectedMerchant !== null && store !== expectedMerchant;
  return isForeign ? ['merchant_mismatch'] : undefined;
}

/** The reference is our transaction id, or the invoice if the shop created the charge itself. */
function referencesOf({ reference }: WireObject): References {
  const named = references(reference);
  return { transactionIds: named, orderIds: named, invoiceIds: named };
}

function unreadable(why: string): Translation {
  return { kind: 'unreadable', why };
}
