/** Acme Pay's API. We choose the ids of charges and returns there, so every call can be repeated. */
import type { Answer, ProviderApi, ProviderRequest } from '../../../src/providers/call.ts';
import {
  type FetchedStatus,
  type OutboundProvider,
  outcomeOf,
  type TransactionToFetch,
} from '../../../src/providers/outbound.ts';
import { id, object, segment, text, type WireObject } from '../../../src/providers/wire.ts';

export const acmePayOutbound: OutboundProvider = {
  startPayment: async (api, payment) => {
    const answer = await call(api, {
      method: 'PUT',
      path: `/charges/by-reference/${segment(payment.transactionId)}`,
      body: {
        cents: payment.amount,
        currency: payment.currency,
        store: api.settings.store,
        region: api.settings.region,
        return_to: payment.callbackUrl,
        notify: payment.webhookUrl,
      },
      isRepeatable: true,
    });
    return outcomeOf(answer, (body) => {
      const redirectUrl = text(body.page);
      return redirectUrl === undefined ? undefined : { redirectUrl };
    });
  },

  startRefund: async (api, refund) => {
    const answer = await call(api, {
      method: 'PUT',
      path: `/charges/${segment(refund.paymentPspId)}/returns/${segment(refund.callId)}`,
      body: { cents: refund.amount, reference: refund.refundRequestId },
      isRepeatable: true,
    });
    return outcomeOf(answer, (body) =>
      id(object(body.return).id) === undefined
        ? undefined
        : { records: [recordOf({ type: 'return.updated', ...body })] },
    );
  },

  refundPspId: ({ callId }) => callId,

  fetchStatus: async (api, target) => {
    const answer = await call(api, { method: 'GET', path: pathOf(target), isRepeatable: true });
    if (answer.kind === 'answered' && answer.status === 404) {
      return { answer, result: { kind: 'done', isKnown: false, wasTried: false, records: [] } };
    }
    return outcomeOf(answer, (body) => readCharge(body, target));
  },

  paidField: 'acme_paid',
};

function call(api: ProviderApi, request: Omit<ProviderRequest, 'user'>): Promise<Answer> {
  return api.callProvider(api, { ...request, user: api.login });
}

function pathOf({ transaction }: TransactionToFetch): string {
  if (transaction.type === 'refund') return `/charges/${segment(transaction.paymentPspId ?? '')}`;
  if (transaction.start) return `/charges/by-reference/${segment(transaction.transactionId)}`;
  return `/charges/${segment(transaction.pspTransactionId ?? '')}`;
}

/** The charge and its returns, each in the format of a delivery. */
function readCharge(
  body: WireObject,
  { transaction }: TransactionToFetch,
): FetchedStatus | undefined {
  if (!Array.isArray(body.returns)) return undefined;
  const returns = body.returns.map(object);
  const ids = returns.map((entry) => id(entry.id)).filter((known) => known !== undefined);
  const { store, charge, at } = body;
  return {
    isKnown: transaction.type === 'payment' || ids.includes(transaction.transactionId),
    ...(transaction.type === 'refund' && { knownCallIds: ids }),
    wasTried: text(object(charge).state) !== 'open',
    records: [
      recordOf({ type: 'charge.updated', store, at, charge }),
      ...returns.map((entry) => recordOf({ type: 'return.updated', store, at, return: entry })),
    ],
  };
}

function recordOf(body: object): Buffer {
  return Buffer.from(JSON.stringify(body), 'utf8');
}
