/** Helpers of the tests of captures and voids: two providers whose answers the test decides, and payments that they hold. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after } from 'node:test';
import { startLocalServer } from '../../../tools/harness/local-server.ts';
import { gatewayBody, partnerEvent, partnerId, partnerPayment } from '../../support/deliveries.ts';
import { assertDescribed } from '../../support/described-events.ts';
import { pollAllDue } from '../../support/poll-all-due.ts';
import { addEndpoint } from '../../support/shop-endpoint.ts';
import { answerWith } from '../../support/stub-gateway.ts';
import type { TestSettings } from '../../support/test-account.ts';
import type { Reply, TestService } from '../../support/test-service.ts';
import { openShop, shopOf } from '../webhooks/shop.ts';

type Fields = Record<string, unknown>;

/** What the provider makes of a capture or void: `lost` is made without an answer, `unavailable` is not made. */
export type Verdict = 'made' | 'pending' | 'refused' | 'lost' | 'unavailable' | 'limited';
type Call = { readonly operation: string; readonly id: string; readonly amount: unknown };

export type HeldPayment = {
  readonly orderId: string;
  readonly invoiceId: string;
  readonly transactionId: string;
  /** The body that started it at the provider. */
  readonly started: Fields;
  /** The payment at the partner, or the order at the gateway. */
  readonly pspId: string;
};

export async function openHeldShop(settings: TestSettings = {}, service?: TestService) {
  const calls: Call[] = [];
  const made: Call[] = [];
  const payments = new Map<string, Fields>();
  const records = new Map<string, Fields[]>();
  const starts: Fields[] = [];
  let decide: (operation: string) => Verdict = () => 'made';

  const { url, close } = await startLocalServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
    const { pathname } = new URL(request.url ?? '', 'http://provider.test');
    if (pathname === '/v1/orders' || pathname.endsWith('/session')) {
      starts.push(body);
      const id = partnerId('order');
      return answerWith(response, 200, { id, result: 'SUCCESS', session: { id: 'SESSION1' } });
    }
    return pathname.startsWith('/v1/')
      ? answerPartner(pathname, body, response)
      : answerGateway(pathname, body, response);
  });
  after(close);

  /** True if it was answered. */
  const obey = (call: Call, response: ServerResponse) => {
    calls.push(call);
    const verdict = decide(call.operation);
    if (verdict === 'unavailable') answerWith(response, 503, {});
    if (verdict === 'limited') answerWith(response, 429, {});
    if (verdict === 'refused') answerWith(response, 400, refusal('It cannot be done.'));
    return verdict;
  };

  const answerPartner = (path: string, body: Fields, response: ServerResponse) => {
    const [, , kind, id = '', call] = path.split('/');
    if (kind === 'orders') {
      const items = [...payments.values()].filter(({ order_id }) => order_id === id);
      return answerWith(response, 200, { items });
    }
    const known = payments.get(id);
    if (!known) return answerWith(response, 400, refusal('The id provided does not exist'));
    if (call === 'refunds') return answerWith(response, 200, { items: [] });
    if (call !== 'capture') return answerWith(response, 200, known);
    const asked = { operation: 'capture', id, amount: body.amount };
    const verdict = obey(asked, response);
    if (response.writableEnded) return;
    if (known.captured) {
      return answerWith(response, 400, refusal('This payment has already been captured'));
    }
    const captured = { ...known, status: 'captured', captured: true };
    payments.set(id, captured);
    made.push(asked);
    return answerWith(response, verdict === 'lost' ? 504 : 200, captured);
  };

  const answerGateway = (path: string, body: Fields, response: ServerResponse) => {
    const [order = '', id] = (path.split('/order/')[1] ?? '').split('/transaction/');
    const known = records.get(order) ?? [];
    if (id === undefined) {
      const list = { id: order, currency: 'INR', transaction: known };
      return answerWith(response, known.length > 0 ? 200 : 404, list);
    }
    const { amount, targetTransactionId: target } = body.transaction as Fields;
    const operation = String(body.apiOperation).toLowerCase();
    const asked = { operation, id, amount };
    const verdict = obey(asked, response);
    if (response.writableEnded) return;
    const first = known.find((entry) => (entry.transaction as Fields).id === id);
    const type = operation === 'capture' ? 'CAPTURE' : 'VOID_AUTHORIZATION';
    const result = verdict === 'pending' ? 'PENDING' : 'SUCCESS';
    const record = first ?? gatewayRecord(order, id, type, Number(amount ?? 118), target, result);
    if (!first) {
      records.set(order, [...known, record]);
      made.push(asked);
    }
    return answerWith(response, verdict === 'lost' ? 504 : 201, record);
  };

  const gatewayRecord = (
    order: string,
    id: string,
    type: string,
    amount: number,
    target?: unknown,
    result = 'SUCCESS',
  ) => {
    const at = shop.service.services.clock().toISOString();
    return gatewayBody({
      result,
      response: result === 'SUCCESS' ? {} : { gatewayCode: 'PENDING' },
      timeOfRecord: at,
      timeOfLastUpdate: at,
      order: { id: order, totalCapturedAmount: undefined, lastUpdatedTime: undefined },
      transaction: { id, type, amount, targetTransactionId: target },
    });
  };

  const opened: TestSettings = {
    captureMode: 'manual',
    paymentModes: { upi: 'partner', credit_card: 'bank-gateway' },
    providerApis: {
      partner: { url, login: 'rzp_test_1' },
      'bank-gateway': { url, login: 'TESTMERCHANT' },
    },
    apiSecrets: { 'partner-key-secret': 'secret', 'bank-gateway-password': 'password' },
    ...settings,
  };
  const shop = service
    ? shopOf(service, await service.createAccount(opened))
    : await openShop(opened);
  const { account } = shop;
  await addEndpoint(shop.service, account.accountId, 'http://127.0.0.1:9/never-sent-here');
  const unixNow = () => Math.floor(shop.service.services.clock().getTime() / 1000);

  const call = async (path: string, body: Fields, key?: string): Promise<Reply> =>
    shop.service.call(`/api/v3/${path}`, {
      token: await shop.freshToken(),
      body,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    });
  const start = async (payment_mode_code: string, order: Fields = {}) => {
    const { order_id, invoice_id } = await shop.createOrder(order);
    const reply = await call('initiate-payment', { order_id, payment_mode_code });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const transactionId: string = reply.body.transaction_id;
    return {
      orderId: order_id,
      invoiceId: invoice_id,
      transactionId,
      started: starts.at(-1) ?? {},
    };
  };
  const holdAtPartner = async (order?: Fields): Promise<HeldPayment> => {
    const held = await start('upi', order);
    const payment = partnerPayment({
      status: 'authorized',
      captured: false,
      fee: null,
      tax: null,
      notes: held.started.notes,
      created_at: unixNow(),
    });
    await report(payment, 'payment.authorized');
    return { ...held, pspId: String(payment.id) };
  };
  const report = async (payment: Fields, event: string) => {
    payments.set(String(payment.id), payment);
    return shop.sendPartner(partnerEvent(event, { payment }, { created_at: unixNow() }));
  };
  const holdAtGateway = async (order?: Fields): Promise<HeldPayment> => {
    const held = await start('credit_card', order);
    const { transactionId } = held;
    await notify(transactionId, '1', 'AUTHORIZATION', 118);
    return { ...held, pspId: transactionId };
  };
  const notify = async (
    order: string,
    id: string,
    type: string,
    amount: number,
    target?: string,
    result?: string,
  ) => {
    const record = gatewayRecord(order, id, type, amount, target, result);
    const others = (records.get(order) ?? []).filter(
      (entry) => (entry.transaction as Fields).id !== id,
    );
    records.set(order, [...others, record]);
    return shop.sendGateway(record);
  };
  return {
    ...shop,
    call,
    calls,
    made,
    start,
    hold: (provider: 'partner' | 'gateway', order?: Fields) =>
      provider === 'partner' ? holdAtPartner(order) : holdAtGateway(order),
    notify,
    /** What the partner knows of a payment, and its webhook. */
    report: (id: string, event: string, changes: Fields) =>
      report({ ...payments.get(id), ...changes }, event),
    script: (next: (operation: string) => Verdict) => {
      decide = next;
    },
    capture: (transaction_id: string, fields: Fields = {}, key?: string) =>
      call('capture', { transaction_id, ...fields }, key),
    void: (transaction_id: string, fields: Fields = {}, key?: string) =>
      call('void', { transaction_id, ...fields }, key),
    poll: async (seconds = 61) => {
      shop.service.advanceSeconds(seconds);
      await pollAllDue(shop.service.services);
    },
    /** The payment and the order of the enquiry. */
    show: async (order_id: string) => {
      const { transaction, order } = (await shop.enquire({ order_id })).body;
      return { payment: transaction[0], order };
    },
    /** The events of an order, by their numbers. */
    listEvents: async (orderId: string) => {
      const { rows } = await shop.service.database.query<{ body: Buffer }>({
        text: 'select body from events where account_id = $1 and order_id = $2 order by sequence',
        values: [account.accountId, orderId],
      });
      const events = rows.map(({ body }): Reply['body'] => JSON.parse(body.toString('utf8')));
      for (const event of events) assertDescribed(event);
      return events;
    },
  };
}

const refusal = (description: string) => ({
  error: { code: 'BAD_REQUEST_ERROR', description, cause: 'INVALID_REQUEST' },
});
