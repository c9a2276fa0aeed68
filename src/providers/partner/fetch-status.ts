/** Reads from the partner what became of a payment or refund. */
import { paymentLimits } from '../../domain/payments/limits.ts';
import { hasUnknownRefunds } from '../../domain/payments/needs-polling.ts';
import type { Start } from '../../domain/payments/start.ts';
import type { ProviderApi } from '../call.ts';
import {
  type FetchedStatus,
  type Outcome,
  outcomeOf,
  type TransactionToFetch,
} from '../outbound.ts';
import { id, minorUnits, object, segment, text, type WireObject } from '../wire.ts';
import { callPartner } from './call-partner.ts';
import { paymentEvent, polledPaymentEvent, refundEvent } from './records.ts';

export function fetchStatus(
  api: ProviderApi,
  target: TransactionToFetch,
): Promise<Outcome<FetchedStatus>> {
  return target.transaction.type === 'refund'
    ? fetchRefunds(api, target)
    : fetchPayments(api, target);
}

/** If the answer to our call was lost, the order is found by its receipt. */
async function fetchPayments(
  api: ProviderApi,
  { orderId, transaction, now }: TransactionToFetch,
): Promise<Outcome<FetchedStatus>> {
  const { start, pspTransactionId, transactionId } = transaction;
  if (hasUnknownRefunds(transaction)) return fetchRefundsOf(api, pspTransactionId ?? '', now);
  if (!start) return fetchPayment(api, pspTransactionId ?? '', now);
  if (start.providerOrderId !== undefined) {
    return fetchAttempts(api, start.providerOrderId, start, now);
  }
  const answer = await callPartner(api, {
    ...readRequest,
    path: `/v1/orders?receipt=${segment(orderId)}&count=100`,
  });
  const found = outcomeOf(answer, ({ body }) => {
    const items = findItems(body);
    const ours = items?.find(
      ({ notes }) => text(object(notes).svc_transaction_id) === transactionId,
    );
    return items && { kind: 'done', providerOrderId: id(ours?.id) };
  });
  if (found.result.kind !== 'done') return { ...found, result: found.result };
  const { providerOrderId } = found.result;
  return providerOrderId === undefined
    ? { answer, result: { kind: 'done', isKnown: false, wasTried: false, records: [] } }
    : fetchAttempts(api, providerOrderId, start, now);
}

/** Every attempt of the consumer to pay one order of the partner. */
async function fetchAttempts(
  api: ProviderApi,
  providerOrderId: string,
  { intentUrl }: Start,
  now: Date,
): Promise<Outcome<FetchedStatus>> {
  // An intent is an attempt from the moment we request it, whether or not the consumer opens it.
  const isUnopened = ({ status, method }: WireObject) =>
    intentUrl !== undefined && text(status) === 'created' && text(method) === 'upi';
  const answer = await callPartner(api, {
    ...readRequest,
    path: `/v1/orders/${segment(providerOrderId)}/payments`,
  });
  return outcomeOf(answer, ({ body }) => {
    const attempts = findItems(body);
    return (
      attempts && {
        kind: 'done',
        isKnown: true,
        providerOrderId,
        wasTried: attempts.some((attempt) => !isUnopened(attempt)),
        records: attempts.flatMap((attempt) => polledPaymentEvent(attempt, now)),
      }
    );
  });
}

async function fetchPayment(
  api: ProviderApi,
  paymentId: string,
  now: Date,
): Promise<Outcome<FetchedStatus>> {
  const answer = await callPartner(api, {
    ...readRequest,
    path: `/v1/payments/${segment(paymentId)}`,
  });
  return outcomeOf(answer, ({ body }) => ({
    kind: 'done',
    isKnown: true,
    wasTried: true,
    records: polledPaymentEvent(body, now),
  }));
}

/**
 * Reads the refunds of a payment of which the partner has refunded more than we know. Its list lags: until the list
 * accounts for the total, the payment is not returned with it, so that the total is still unknown. Contract 4.15.
 */
async function fetchRefundsOf(
  api: ProviderApi,
  paymentId: string,
  now: Date,
): Promise<Outcome<FetchedStatus>> {
  const path = `/v1/payments/${segment(paymentId)}`;
  const read = outcomeOf(await callPartner(api, { ...readRequest, path }), ({ body }) => ({
    kind: 'done',
    payment: body,
  }));
  if (read.result.kind !== 'done') return { ...read, result: read.result };
  const { payment } = read.result;
  const refunds: WireObject[] = [];
  for (let skip = 0; ; skip += refundsOfPage) {
    const page = `${path}/refunds?count=${refundsOfPage}&skip=${skip}`;
    const listed = outcomeOf(await callPartner(api, { ...readRequest, path: page }), ({ body }) => {
      const items = findItems(body);
      return items && { kind: 'done', items };
    });
    if (listed.result.kind !== 'done') return { ...listed, result: listed.result };
    const { items } = listed.result;
    refunds.push(...items);
    if (items.length === refundsOfPage && skip < refundsMax) continue;
    const made = refunds.filter(({ status }) => text(status) !== 'failed');
    const total = made.reduce((sum, { amount }) => sum + (minorUnits(amount) ?? 0), 0);
    const isComplete = total >= (minorUnits(payment.amount_refunded) ?? 0);
    const records = [
      ...refunds.map(refundEvent),
      ...(isComplete ? paymentEvent(payment, now) : []),
    ];
    return {
      answer: listed.answer,
      result: { kind: 'done', isKnown: true, wasTried: true, records },
    };
  }
}

const refundsOfPage = 100;
/** A payment cannot have more refunds here. Contract 4.14. */
const refundsMax = paymentLimits.transactionsMax;

/** Fetches all refunds of the payment and finds ours by its notes. */
async function fetchRefunds(
  api: ProviderApi,
  { transaction }: TransactionToFetch,
): Promise<Outcome<FetchedStatus>> {
  const refund = transaction.type === 'refund' ? transaction : undefined;
  const answer = await callPartner(api, {
    ...readRequest,
    path: `/v1/payments/${segment(refund?.paymentPspId ?? '')}/refunds?count=100`,
  });
  return outcomeOf(answer, ({ body }) => {
    const ours = findItems(body)?.filter(
      ({ id: refundId, notes }) =>
        text(object(notes).svc_transaction_id) === refund?.transactionId ||
        id(refundId) === refund?.pspTransactionId,
    );
    if (!ours) return undefined;
    const isKnown = ours.length > 0;
    return { kind: 'done', isKnown, wasTried: isKnown, records: ours.map(refundEvent) };
  });
}

const readRequest = { method: 'GET', isRepeatable: true } as const;

/** Undefined if the answer is not a list: then it does not even say that there are no items. */
function findItems(body: WireObject): WireObject[] | undefined {
  return Array.isArray(body.items) ? body.items.map(object) : undefined;
}
