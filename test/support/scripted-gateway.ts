/**
 * A bank gateway whose answer to each refund call is decided by the test; the simulator only plays whole scenarios. It
 * stores the records of each order and lists them when it is polled.
 */
import type { ServerResponse } from 'node:http';
import { after } from 'node:test';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { startLocalServer } from '../../tools/harness/local-server.ts';
import { shopOf } from '../api/webhooks/shop.ts';
import { gatewayBody } from './deliveries.ts';
import { pollAllDue } from './poll-all-due.ts';
import { answerWith } from './stub-gateway.ts';
import { type Reply, startTestService } from './test-service.ts';

type Fields = Record<string, unknown>;

/** The answer to a refund call: a result, a refusal, or no answer. A lost one is made without an answer. */
export type Verdict = 'SUCCESS' | 'PENDING' | 'refuse' | 'unavailable' | 'lost' | 'limit';

export type RefundCall = {
  readonly id: string;
  readonly amount: number;
  readonly target: string;
  readonly verdict: Verdict;
};

type RecordFields = {
  readonly target?: string;
  readonly result?: string;
  readonly reference?: string;
};

export async function startScriptedGateway() {
  const service = await startTestService();
  const { clock } = service.services;
  const orders = new Map<string, Map<string, Fields>>();
  const refundCalls: RefundCall[] = [];
  let decide: (target: string) => Verdict = () => 'SUCCESS';
  let areRefundsListed = true;
  let startStatus = 201;

  const record = (
    orderId: string,
    id: string,
    type: string,
    amount: number,
    fields: RecordFields = {},
  ) => {
    const at = clock().toISOString();
    const { target, result = 'SUCCESS', reference } = fields;
    return gatewayBody({
      result,
      response: result === 'SUCCESS' ? {} : { gatewayCode: 'PENDING' },
      timeOfRecord: at,
      timeOfLastUpdate: at,
      order: { id: orderId, totalCapturedAmount: undefined, lastUpdatedTime: undefined },
      transaction: { id, type, amount, targetTransactionId: target, reference },
    });
  };
  const store = (orderId: string, id: string, own: Fields) => {
    const known = orders.get(orderId) ?? new Map<string, Fields>();
    orders.set(orderId, known.set(id, own));
  };

  const answerRefund = (orderId: string, id: string, body: Fields, response: ServerResponse) => {
    const requested = body.transaction as Record<string, string>;
    const { amount = '', targetTransactionId: target = '' } = requested;
    const verdict = decide(target);
    refundCalls.push({ id, amount: Number(amount), target, verdict });
    if (verdict === 'unavailable') return answerWith(response, 503, { result: 'ERROR' });
    if (verdict === 'limit') return answerWith(response, 429, {});
    if (verdict === 'refuse') {
      return answerWith(response, 400, {
        error: { cause: 'INVALID_REQUEST', explanation: 'No refund' },
      });
    }
    const fields = {
      target,
      result: verdict === 'PENDING' ? verdict : 'SUCCESS',
      ...(requested.reference && { reference: requested.reference }),
    };
    const own = record(orderId, id, 'REFUND', Number(amount), fields);
    store(orderId, id, own);
    return answerWith(response, verdict === 'lost' ? 504 : 201, own);
  };

  const isListed = ({ transaction }: Fields) =>
    areRefundsListed || (transaction as Fields).type !== 'REFUND';

  const { url, close } = await startLocalServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { pathname } = new URL(request.url ?? '', 'http://gateway.test');
    const [orderId = '', id] = (pathname.split('/order/')[1] ?? '').split('/transaction/');
    if (id !== undefined) {
      return answerRefund(orderId, id, JSON.parse(text), response);
    }
    if (pathname.endsWith('/session')) {
      return answerWith(response, startStatus, { result: 'SUCCESS', session: { id: 'SESSION1' } });
    }
    const known = orders.get(orderId);
    if (!known) return answerWith(response, 404, { error: { cause: 'INVALID_REQUEST' } });
    const transaction = [...known.values()].filter(isListed);
    return answerWith(response, 200, { id: orderId, currency: 'INR', transaction });
  });
  after(close);
  const account = await service.createAccount({
    paymentModes: { credit_card: 'bank-gateway' },
    providerApis: { 'bank-gateway': { url, login: 'TESTMERCHANT' } },
    apiSecrets: { 'bank-gateway-password': 'password' },
  });
  const shop = shopOf(service, account);
  const notify = (
    orderId: string,
    id: string,
    type: string,
    amount: number,
    fields?: RecordFields,
  ) => {
    const own = record(orderId, id, type, amount, fields);
    store(orderId, id, own);
    return shop.sendGateway(own);
  };
  const call = async (path: string, body: object, key?: string): Promise<Reply> =>
    service.call(`/api/v3/${path}`, {
      token: await shop.freshToken(),
      body,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });

  return {
    service,
    shop,
    call,
    refundCalls,
    /** Sets the answers to refund calls from now on, by the capture they target. */
    script: (next: (target: string) => Verdict) => {
      decide = next;
    },
    /** A list that lags does not show refunds. */
    listRefunds: (isListing: boolean) => {
      areRefundsListed = isListing;
    },
    /** The status of answers to the start of a payment. */
    answerStarts: (status: number) => {
      startStatus = status;
    },
    /** Adds a record at the gateway without a webhook. */
    addRecord: (orderId: string, id: string, type: string, amount: number, fields?: RecordFields) =>
      store(orderId, id, record(orderId, id, type, amount, fields)),
    /** Adds a record at the gateway and sends its webhook. */
    notify,
    /** A new order that is paid by captures of 60 and 58. */
    payByTwoCaptures: async () => {
      const { order_id: orderId } = await shop.createOrder();
      await notify(orderId, '1', 'AUTHORIZATION', 118);
      await notify(orderId, '2', 'CAPTURE', 60, { target: '1' });
      await notify(orderId, '3', 'CAPTURE', 58, { target: '1' });
      const { transaction } = (await shop.enquire({ order_id: orderId })).body;
      return { orderId, transactionId: transaction[0].svc_transaction_id as string };
    },
    initiate: (orderId: string) =>
      call('initiate-payment', { order_id: orderId, payment_mode_code: 'credit_card' }),
    refund: (transactionId: string, amount?: number) =>
      call('refund', { transaction_id: transactionId, refund_amount: amount }),
    /** Moves the clock and runs all polls that are due. */
    poll: async (seconds = 61) => {
      service.advanceSeconds(seconds);
      await pollAllDue(service.services);
    },
    /** Paid, refunded and available amounts. */
    sumsOf: async (order_id: string) => {
      const { refund_details: details } = (await shop.enquire({ order_id })).body.order;
      const { total_refundable_amount: paid, refunded_amount: refunded } = details;
      return [paid, refunded, details.available_refundable_amount];
    },
    breaches: async () => (await verifyInvariants(service.services)).breaches,
  };
}
