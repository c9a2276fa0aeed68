/** Reads from the partner what became of a payment or refund. */
import { paymentLimits } from '../../domain/payments/limits.ts';
import { hasUnknownRefunds } from '../../domain/payments/needs-polling.ts';
import type { Start } from '../../domain/payments/start.ts';
import type { Refund } from '../../domain/payments/transaction.ts';
import type { ProviderApi } from '../call.ts';
import type { FetchedStatus, Outcome, TransactionToFetch } from '../outbound.ts';
import { id, minorUnits, object, segment, text, type WireObject } from '../wire.ts';
import {
  findItems,
  paymentEvent,
  polledPaymentEvent,
  readPartner,
  refundEvent,
} from './call-partner.ts';

type Fetched = Promise<Outcome<FetchedStatus>>;

/** If the answer to our call was lost, the order is found by its receipt. */
export async function fetchStatus(
  api: ProviderApi,
  { orderId, transaction, now }: TransactionToFetch,
): Fetched {
  if (transaction.type === 'refund') return fetchRefund(api, transaction);
  const { start, pspTransactionId, transactionId } = transaction;
  if (hasUnknownRefunds(transaction)) return fetchRefundsOf(api, pspTransactionId ?? '', now);
  if (!start) return fetchPayment(api, pspTransactionId ?? '', now);
  if (start.providerOrderId !== undefined) {
    return fetchAttempts(api, start.providerOrderId, start, now);
  }
  const path = `/v1/orders?receipt=${segment(orderId)}&count=100`;
  const { answer, result } = await readPartner(api, path, (body) => {
    const items = findItems(body);
    const ours = items?.find(
      ({ notes }) => text(object(notes).svc_transaction_id) === transactionId,
    );
    return items && { providerOrderId: id(ours?.id) };
  });
  if (result.kind !== 'done') return { answer, result };
  const { providerOrderId } = result;
  return providerOrderId === undefined
    ? { answer, result: { kind: 'done', isKnown: false, wasTried: false, records: [] } }
    : fetchAttempts(api, providerOrderId, start, now);
}

function fetchAttempts(api: ProviderApi, providerOrderId: string, { intentUrl }: Start, now: Date) {
  // An intent is an attempt from the moment we request it, whether or not the consumer opens it.
  const isUnopened = ({ status, method }: WireObject) =>
    intentUrl !== undefined && text(status) === 'created' && text(method) === 'upi';
  return readPartner(api, `/v1/orders/${segment(providerOrderId)}/payments`, (body) => {
    const attempts = findItems(body);
    return (
      attempts && {
        isKnown: true,
        providerOrderId,
        wasTried: attempts.some((attempt) => !isUnopened(attempt)),
        records: attempts.flatMap((attempt) => polledPaymentEvent(attempt, now)),
      }
    );
  });
}

function fetchPayment(api: ProviderApi, paymentId: string, now: Date): Fetched {
  return readPartner(api, `/v1/payments/${segment(paymentId)}`, (body) => ({
    isKnown: true,
    wasTried: true,
    records: polledPaymentEvent(body, now),
  }));
}

/**
 * Reads the refunds of a payment of which the partner has refunded more than we know. Its list lags: until the list
 * accounts for the total, the payment is not returned with it, so that the total is still unknown. Contract 4.15.
 */
async function fetchRefundsOf(api: ProviderApi, paymentId: string, now: Date): Fetched {
  const path = `/v1/payments/${segment(paymentId)}`;
  const read = await readPartner(api, path, (payment) => ({ payment }));
  if (read.result.kind !== 'done') return { ...read, result: read.result };
  const { payment } = read.result;
  const { answer, result } = await listRefunds(api, paymentId);
  if (result.kind !== 'done') return { answer, result };
  const { refunds } = result;
  const made = refunds.filter(({ status }) => text(status) !== 'failed');
  const total = made.reduce((sum, { amount }) => sum + (minorUnits(amount) ?? 0), 0);
  const isComplete = total >= (minorUnits(payment.amount_refunded) ?? 0);
  const records = [...refunds.map(refundEvent), ...(isComplete ? paymentEvent(payment, now) : [])];
  return { answer, result: { kind: 'done', isKnown: true, wasTried: true, records } };
}

/** Page by page, until one has what is looked for or is the last. */
async function listRefunds(
  api: ProviderApi,
  paymentId: string,
  isLookedFor: (refund: WireObject) => boolean = () => false,
): Promise<Outcome<{ readonly refunds: readonly WireObject[] }>> {
  const refunds: WireObject[] = [];
  for (let skip = 0; ; skip += refundsOfPage) {
    const page = `/v1/payments/${segment(paymentId)}/refunds?count=${refundsOfPage}&skip=${skip}`;
    const { answer, result } = await readPartner(api, page, (body) => {
      const items = findItems(body);
      return items && { items };
    });
    if (result.kind !== 'done') return { answer, result };
    const { items } = result;
    refunds.push(...items);
    const isLast = items.length < refundsOfPage || skip >= refundsMax;
    if (isLast || items.some(isLookedFor)) return { answer, result: { kind: 'done', refunds } };
  }
}

const refundsOfPage = 100;
/** A payment cannot have more refunds here. Contract 4.14. */
const refundsMax = paymentLimits.transactionsMax;

/** Ours is found among the refunds of the payment, by its notes. */
async function fetchRefund(
  api: ProviderApi,
  { transactionId, pspTransactionId, paymentPspId }: Refund,
): Fetched {
  const isOurs = ({ id: refundId, notes }: WireObject) =>
    text(object(notes).svc_transaction_id) === transactionId || id(refundId) === pspTransactionId;
  const { answer, result } = await listRefunds(api, paymentPspId ?? '', isOurs);
  if (result.kind !== 'done') return { answer, result };
  const ours = result.refunds.filter(isOurs);
  const isKnown = ours.length > 0;
  const records = ours.map(refundEvent);
  return { answer, result: { kind: 'done', isKnown, wasTried: isKnown, records } };
}
