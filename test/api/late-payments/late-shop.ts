/** Helpers of the tests of late payments: a shop that refunds them, and providers that answer to its refunds. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after } from 'node:test';
import type { AccountSettings } from '../../../src/domain/accounts/account.ts';
import { commandLine } from '../../../src/domain/audit.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { startLocalServer } from '../../../tools/harness/local-server.ts';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { pollAllDue } from '../../support/poll-all-due.ts';
import { addEndpoint } from '../../support/shop-endpoint.ts';
import { answerWith } from '../../support/stub-gateway.ts';
import type { TestSettings } from '../../support/test-account.ts';
import { type CreatedOrder, gatewayPaymentOf, openShop } from '../webhooks/shop.ts';

type Fields = Record<string, unknown>;

export type SentRefund = { readonly path: string; readonly body: Fields };

const lifeSeconds = 24 * 3_600;

export async function openLateShop(settings: TestSettings = {}) {
  const sent: SentRefund[] = [];
  const { url, close } = await startLocalServer((request, response) => {
    answerProvider(request, response, sent);
  });
  after(close);
  const shop = await openShop({
    latePayments: 'refund',
    providerApis: {
      partner: { url, login: 'rzp_test_1' },
      'bank-gateway': { url, login: 'TESTMERCHANT' },
    },
    apiSecrets: { 'partner-key-secret': 'partner_key_secret', 'bank-gateway-password': 'secret' },
    ...settings,
  });
  const { service, account } = shop;
  const { services } = service;
  await addEndpoint(service, account.accountId, 'http://127.0.0.1:9/never-sent-here');

  const show = async (orderId: string) => {
    const { order, transaction } = (await shop.enquire({ order_id: orderId })).body;
    return { order, transactions: transaction as Fields[] };
  };
  return {
    ...shop,
    sent,
    show,
    /** An order of which the time is over, and when that was, in Unix seconds. */
    createLapsed: async (body?: Fields): Promise<CreatedOrder & { readonly lapsedAt: number }> => {
      const order = await shop.createOrder(body);
      service.advanceSeconds(lifeSeconds + 60);
      const { rows } = await service.database.query<{ lapses_at: Date }>({
        text: 'select lapses_at from orders where order_id = $1',
        values: [order.order_id],
      });
      return { ...order, lapsedAt: (rows[0]?.lapses_at.getTime() ?? 0) / 1_000 };
    },
    /** Status, transactions and flags, in short. */
    outcomeOf: async (orderId: string) => {
      const { order, transactions } = await show(orderId);
      const { rows } = await service.database.query<{ flags: string[] }>({
        text: `select flags from transactions where order_id = $1 and type = 'payment' order by recorded_at, transaction_id`,
        values: [orderId],
      });
      return {
        order: order.status,
        payments: transactions.filter(isPayment).map(({ payment_status }) => payment_status),
        refunds: transactions.filter(isRefund).map(({ refund_status, transaction_amount }) => {
          return `${refund_status} ${transaction_amount}`;
        }),
        flags: rows.map(({ flags }) => flags.join()),
      };
    },
    refundsOf: async (orderId: string) => (await show(orderId)).transactions.filter(isRefund),
    listEvents: async (orderId: string): Promise<string[]> => {
      const { rows } = await service.database.query<{ event_type: string }>({
        text: 'select event_type from events where order_id = $1 order by sequence',
        values: [orderId],
      });
      return rows.map(({ event_type }) => event_type);
    },
    /** This process uses it at once. */
    change: async (changed: Partial<AccountSettings>) => {
      await updateAccount(services, account.accountId, () => changed, commandLine);
      await services.accounts.readNow(account.accountId);
    },
    /** What the background sends now, without waiting. */
    work: () => pollAllDue(services),
  };
}

const isPayment = ({ transaction_type }: Fields) => transaction_type === 'payment';
const isRefund = (entry: Fields) => !isPayment(entry);

/** A capture at the partner at this time, of a payment that was created a minute before. */
export function captureAt(order: CreatedOrder, at: number, changes: Fields = {}): Fields {
  const notes = { svc_order_id: order.order_id };
  const payment = partnerPayment({ notes, created_at: Math.floor(at) - 60, ...changes });
  return partnerEvent('payment.captured', { payment }, { created_at: Math.ceil(at) });
}

/** The same success, announced by another event. */
export function paidAt({ payload, ...envelope }: Fields): Fields {
  return { ...envelope, event: 'order.paid', payload };
}

/** A payment at the bank gateway that succeeded at this time. */
export function gatewayPaymentAt(order: CreatedOrder, at: number, changes: Fields = {}): Fields {
  const time = isoTime(at);
  return gatewayPaymentOf(order, { timeOfRecord: time, timeOfLastUpdate: time, ...changes });
}

export const isoTime = (at: number): string => new Date(at * 1_000).toISOString();

/** Lists no refund, and accepts every one but that of `pay_refused`. */
function answerProvider(request: IncomingMessage, response: ServerResponse, sent: SentRefund[]) {
  const path = request.url ?? '';
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    if (request.method === 'GET') {
      if (path.includes('/refunds')) return answerWith(response, 200, { items: [] });
      return answerWith(response, 404, { error: { cause: 'INVALID_REQUEST' } });
    }
    const body: Fields = JSON.parse(text);
    sent.push({ path, body });
    const [, paymentId] = /^\/v1\/payments\/(.+)\/refund$/.exec(path) ?? [];
    if (paymentId === 'pay_refused') {
      const error = { code: 'BAD_REQUEST_ERROR', description: 'The refund is not possible.' };
      return answerWith(response, 400, { error });
    }
    if (paymentId !== undefined) {
      const record = { id: `rfnd_${sent.length}_${paymentId}`, payment_id: paymentId };
      const { amount, receipt, notes } = body;
      const given = { amount, receipt, notes, currency: 'INR', created_at: 1_794_800_000 };
      return answerWith(response, 200, { ...record, ...given, status: 'processed' });
    }
    const [, orderId, id] = /\/order\/([^/]+)\/transaction\/([^/]+)$/.exec(path) ?? [];
    assert.ok(orderId && id, path);
    const transaction = { ...(body.transaction as Fields), id, type: 'REFUND' };
    return answerWith(response, 200, { order: { id: orderId }, transaction, result: 'SUCCESS' });
  });
}
