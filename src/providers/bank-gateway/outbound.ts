/** The gateway's REST API: hosted checkout, refund, retrieve order. We choose the ids, so repeats are safe. */
import { getExponent } from '../../domain/money/currency.ts';
import { formatAmount, type MinorUnits } from '../../domain/money/money.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import type { Answer, ProviderApi, ProviderRequest } from '../call.ts';
import {
  type OperationToRequest,
  type OutboundProvider,
  outcomeOf,
  type TransactionToFetch,
} from '../outbound.ts';
import { id, object, segment, text, truncate, type WireObject } from '../wire.ts';
import { holdDays } from './settings.ts';

export const gatewayOutbound: OutboundProvider = {
  startPayment: async (api, payment) => {
    const answer = await callGateway(api, {
      method: 'POST',
      path: '/session',
      body: {
        apiOperation: 'INITIATE_CHECKOUT',
        checkoutMode: 'WEBSITE',
        interaction: withoutAbsent({
          operation: payment.isHeld ? 'AUTHORIZE' : 'PURCHASE',
          merchant: { name: truncate(payment.shopName, merchantNameCharsMax) },
          returnUrl: payment.callbackUrl,
        }),
        order: {
          // Our transaction id is the order id at the gateway, so every notification contains it.
          id: payment.transactionId,
          reference: truncate(payment.invoiceId, referenceCharsMax),
          amount: amountText(payment.amount, payment.currency),
          currency: payment.currency,
          description: truncate(payment.description, descriptionCharsMax),
          notificationUrl: payment.webhookUrl,
        },
      },
    });
    return outcomeOf(answer, (body) => {
      const sessionId = id(object(body.session).id);
      if (text(body.result) === 'ERROR' || sessionId === undefined) return undefined;
      const page = `/checkout/pay/${segment(sessionId)}?checkoutVersion=1.0.0`;
      return { redirectUrl: `${api.url.replace(/\/$/, '')}${page}` };
    });
  },

  startRefund: async (api, refund) => {
    const { order, transaction } = splitPair(refund.paymentPspId);
    const answer = await callGateway(api, {
      method: 'PUT',
      path: `/order/${segment(order)}/transaction/${segment(refund.callId)}`,
      body: {
        apiOperation: 'REFUND',
        transaction: {
          amount: amountText(refund.amount, refund.currency),
          currency: refund.currency,
          targetTransactionId: transaction,
          reference: truncate(refund.refundRequestId, referenceCharsMax),
        },
      },
    });
    return outcomeOf(answer, readRecord);
  },

  holds: {
    capture: (api, operation) => {
      const { amount, currency } = operation;
      const fields = { amount: amountText(amount, currency), currency };
      return requestOperation(api, operation, 'CAPTURE', fields);
    },
    void: (api, operation) => requestOperation(api, operation, 'VOID'),
    takesParts: true,
    days: (settings) => Number(settings[holdDays.name]),
    pspIdOf: ({ paymentPspId, operationId }) => `${splitPair(paymentPspId).order}|${operationId}`,
  },

  refundPspId: ({ paymentPspId, callId }) => `${splitPair(paymentPspId).order}|${callId}`,

  fetchStatus: async (api, target) => {
    const answer = await callGateway(api, {
      method: 'GET',
      path: `/order/${segment(gatewayOrderOf(target))}`,
    });
    if (isUnknownOrder(answer)) {
      return { answer, result: { kind: 'done', isKnown: false, wasTried: false, records: [] } };
    }
    return outcomeOf(answer, (body) => readOrder(body, target));
  },

  paidField: 'resultIndicator',
};

const apiVersion = 100;
/** The lengths that the gateway accepts. It allows ids 40 characters; ours are shorter. */
const merchantNameCharsMax = 40;
const descriptionCharsMax = 127;
const referenceCharsMax = 40;

/** Every call may be repeated, because we choose its ids. */
function callGateway(
  api: ProviderApi,
  request: Pick<ProviderRequest, 'method' | 'path' | 'body'>,
): Promise<Answer> {
  const merchant = segment(api.login);
  const path = `/api/rest/version/${apiVersion}/merchant/${merchant}${request.path}`;
  return api.callProvider(api, {
    ...request,
    path,
    user: `merchant.${api.login}`,
    isRepeatable: true,
  });
}

async function requestOperation(
  api: ProviderApi,
  { operationId, paymentPspId }: OperationToRequest,
  apiOperation: 'CAPTURE' | 'VOID',
  fields: object = {},
) {
  const { order, transaction } = splitPair(paymentPspId);
  const answer = await callGateway(api, {
    method: 'PUT',
    path: `/order/${segment(order)}/transaction/${segment(operationId)}`,
    body: { apiOperation, transaction: { ...fields, targetTransactionId: transaction } },
  });
  return outcomeOf(answer, readRecord);
}

/** The answer to a call is the record that notifications have. */
function readRecord(body: WireObject) {
  const isUsable = id(object(body.transaction).id) !== undefined;
  return isUsable ? { records: [recordOf(body, body)] } : undefined;
}

function amountText(amount: MinorUnits, currency: string): string {
  return formatAmount(amount, getExponent(currency));
}

/** The gateway identifies a payment by the pair of its order id and transaction id. */
function splitPair(pspTransactionId: string): { order: string; transaction: string } {
  const at = pspTransactionId.lastIndexOf('|');
  return { order: pspTransactionId.slice(0, at), transaction: pspTransactionId.slice(at + 1) };
}

function gatewayOrderOf({ transaction }: TransactionToFetch): string {
  if (transaction.type === 'payment' && transaction.start) return transaction.transactionId;
  return splitPair(transaction.pspTransactionId ?? '').order;
}

/** The gateway creates the order when the consumer first tries to pay; before that it does not know it. */
function isUnknownOrder(answer: Answer): boolean {
  if (answer.kind !== 'answered' || answer.status < 400 || answer.status === 401) return false;
  if (answer.status === 404) return true;
  const { cause, explanation } = object(answer.body.error);
  return (
    text(cause) === 'INVALID_REQUEST' &&
    /unable to find|not found|does not exist/i.test(text(explanation) ?? '')
  );
}

/** Every transaction of the order, each in the format of a notification. */
function readOrder(order: WireObject, { transaction }: TransactionToFetch) {
  // Without a list the answer is not usable: it does not even say that there are no transactions.
  if (!Array.isArray(order.transaction)) return undefined;
  const transactions = order.transaction.map(object);
  const ids = transactions.map((entry) => id(object(entry.transaction).id));
  const types = transactions.map((entry) => text(object(entry.transaction).type));
  return {
    isKnown: transaction.type === 'payment' || ids.includes(transaction.transactionId),
    knownCallIds: ids.filter((known) => known !== undefined),
    // A consumer who has only been authenticated has not tried to pay.
    wasTried: types.some((type) => type !== 'AUTHENTICATION'),
    records: transactions.map((entry) => recordOf(entry, order)),
  };
}

function recordOf(entry: WireObject, order: WireObject): Buffer {
  const { transaction: _transactions, ...orderFields } = order;
  const record = { order: orderFields, merchant: order.merchant, ...entry };
  return Buffer.from(JSON.stringify(record), 'utf8');
}
