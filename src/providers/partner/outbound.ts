/** The partner's Orders, Payments and Refunds API. */
import type { ProviderApi, ProviderRequest } from '../call.ts';
import {
  type FetchedStatus,
  type LaunchForm,
  type OutboundProvider,
  type Outcome,
  outcomeOf,
  type PaymentToStart,
  type TransactionToFetch,
} from '../outbound.ts';
import { id, object, segment, text, truncate, type WireObject } from '../wire.ts';

export const partnerOutbound: OutboundProvider = {
  startPayment: async (api, payment) => {
    const answer = await ask(api, {
      method: 'POST',
      path: '/v1/orders',
      body: {
        amount: payment.amount,
        currency: payment.currency,
        receipt: payment.orderId,
        notes: notesOf(payment),
        payment: automaticCapture,
      },
      // Two orders could be made of it; only what took no effect is sent again.
      isRepeatable: false,
    });
    return outcomeOf(answer, ({ body }) => {
      const providerOrderId = id(body.id);
      return providerOrderId === undefined ? undefined : { kind: 'done', providerOrderId };
    });
  },

  startRefund: async (api, refund) => {
    const answer = await ask(api, {
      method: 'POST',
      path: `/v1/payments/${segment(refund.paymentPspId)}/refund`,
      // The partner knows a repeat by this key and answers the refund it made at first.
      headers: { 'x-refund-idempotency': refund.callId },
      body: {
        amount: refund.amount,
        receipt: truncate(refund.refundRequestId, receiptCharsMax),
        notes: {
          svc_transaction_id: refund.transactionId,
          refund_request_id: refund.refundRequestId,
        },
      },
      isRepeatable: true,
    });
    return outcomeOf(answer, ({ body }) =>
      id(body.id) === undefined ? undefined : { kind: 'done', records: [refundEvent(body)] },
    );
  },

  fetchStatus: (api, asked) =>
    asked.transaction.type === 'refund' ? fetchRefunds(api, asked) : fetchPayments(api, asked),

  launchForm: ({ url, login }, payment): LaunchForm => ({
    action: `${url.replace(/\/$/, '')}/v1/checkout/embedded`,
    fields: {
      key_id: login,
      order_id: payment.providerOrderId,
      amount: String(payment.amount),
      currency: payment.currency,
      name: payment.shopName,
      description: payment.description,
      method: methods[payment.modeCode],
      ...prefill(payment.choice),
      ...(payment.callbackUrl !== undefined && {
        callback_url: payment.callbackUrl,
        cancel_url: payment.callbackUrl,
      }),
      ...Object.fromEntries(
        Object.entries(notesOf(payment)).map(([name, value]) => [`notes[${name}]`, value]),
      ),
    },
  }),

  paidField: 'razorpay_payment_id',
};

/** What was chosen at the shop need not be chosen again; a UPI id is not for everyone who has the address. */
function prefill({ bank_name, wallet_name }: PaymentToStart['choice']) {
  return {
    ...(bank_name !== undefined && { bank: bank_name }),
    ...(wallet_name !== undefined && { wallet: wallet_name }),
  };
}

/**
 * Contract 4.8: without it, an account with manual capture would leave every payment authorized until the
 * partner gives it back. A payment that is authorized after twelve minutes may be captured for five days.
 */
const automaticCapture = {
  capture: 'automatic',
  capture_options: {
    automatic_expiry_period: 12,
    manual_expiry_period: 7200,
    refund_speed: 'normal',
  },
} as const;

/** What the partner takes as a reference of ours. */
const receiptCharsMax = 40;

const methods: Readonly<Record<PaymentToStart['modeCode'], string>> = {
  upi: 'upi',
  net_banking: 'netbanking',
  wallet: 'wallet',
  credit_card: 'card',
  debit_card: 'card',
  prepaid_card: 'card',
};

/** They come back with every webhook of the payment. */
function notesOf({ transactionId, orderId, invoiceId }: PaymentToStart) {
  return { svc_transaction_id: transactionId, svc_order_id: orderId, invoice_id: invoiceId };
}

/** The order we made there is found by its receipt, should we not have heard what became of our call. */
async function fetchPayments(
  api: ProviderApi,
  { orderId, transaction }: TransactionToFetch,
): Promise<Outcome<FetchedStatus>> {
  const { start, pspTransactionId, transactionId } = transaction;
  if (!start) return fetchPayment(api, pspTransactionId ?? '');
  if (start.providerOrderId !== undefined) return fetchTries(api, start.providerOrderId);
  const answer = await ask(api, {
    ...reading,
    path: `/v1/orders?receipt=${segment(orderId)}&count=100`,
  });
  const found = outcomeOf(answer, ({ body }) => {
    const items = findItems(body);
    const made = items?.find(
      ({ notes }) => text(object(notes).svc_transaction_id) === transactionId,
    );
    return items && { kind: 'done', providerOrderId: id(made?.id) };
  });
  if (found.result.kind !== 'done') return { ...found, result: found.result };
  const { providerOrderId } = found.result;
  return providerOrderId === undefined
    ? { answer, result: { kind: 'done', isKnown: false, wasTried: false, records: [] } }
    : fetchTries(api, providerOrderId);
}

/** Every try of the consumer at one order of the partner's. */
async function fetchTries(
  api: ProviderApi,
  providerOrderId: string,
): Promise<Outcome<FetchedStatus>> {
  const answer = await ask(api, {
    ...reading,
    path: `/v1/orders/${segment(providerOrderId)}/payments`,
  });
  return outcomeOf(answer, ({ body }) => {
    const tries = findItems(body);
    return (
      tries && {
        kind: 'done',
        isKnown: true,
        providerOrderId,
        wasTried: tries.length > 0,
        records: tries.flatMap(paymentEvent),
      }
    );
  });
}

async function fetchPayment(api: ProviderApi, paymentId: string): Promise<Outcome<FetchedStatus>> {
  const answer = await ask(api, {
    ...reading,
    path: `/v1/payments/${segment(paymentId)}`,
  });
  return outcomeOf(answer, ({ body }) => ({
    kind: 'done',
    isKnown: true,
    wasTried: true,
    records: paymentEvent(body),
  }));
}

/** All refunds of the payment: ours is among them by its notes, if the partner has it. */
async function fetchRefunds(
  api: ProviderApi,
  { transaction }: TransactionToFetch,
): Promise<Outcome<FetchedStatus>> {
  const refund = transaction.type === 'refund' ? transaction : undefined;
  const answer = await ask(api, {
    ...reading,
    path: `/v1/payments/${segment(refund?.paymentPspId ?? '')}/refunds?count=100`,
  });
  return outcomeOf(answer, ({ body }) => {
    const own = findItems(body)?.filter(
      ({ id: refundId, notes }) =>
        text(object(notes).svc_transaction_id) === refund?.transactionId ||
        id(refundId) === refund?.pspTransactionId,
    );
    if (!own) return undefined;
    const isKnown = own.length > 0;
    return { kind: 'done', isKnown, wasTried: isKnown, records: own.map(refundEvent) };
  });
}

const reading = { method: 'GET', isRepeatable: true } as const;

function ask(api: ProviderApi, request: Omit<ProviderRequest, 'user'>) {
  return api.call(api, { ...request, user: api.login });
}

/** Undefined when the answer is no list: then it says nothing, not even that there is nothing. */
function findItems(body: WireObject): WireObject[] | undefined {
  return Array.isArray(body.items) ? body.items.map(object) : undefined;
}

const eventsByStatus: ReadonlyMap<string, string> = new Map([
  ['authorized', 'payment.authorized'],
  ['captured', 'payment.captured'],
  ['refunded', 'payment.captured'],
  ['failed', 'payment.failed'],
]);

/** A record that was asked for, in the envelope in which it would have been reported. */
function paymentEvent(payment: WireObject): Buffer[] {
  const event = eventsByStatus.get(text(payment.status) ?? '');
  if (event === undefined || id(payment.id) === undefined) return [];
  return [envelope(event, { payment: { entity: payment } })];
}

function refundEvent(refund: WireObject): Buffer {
  return envelope('refund.created', { refund: { entity: refund } });
}

function envelope(event: string, payload: object): Buffer {
  return Buffer.from(JSON.stringify({ entity: 'event', event, payload }), 'utf8');
}
