/** Helpers of the tests of webhooks and of the enquiry. */

import assert from 'node:assert/strict';
import type { HistoryEntry } from '../../../src/domain/history.ts';
import type { DeliveryState } from '../../../src/domain/inbox/delivery.ts';
import { listRecentHistory } from '../../../src/store/orders/history.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  type SendOptions,
  sendGateway,
  sendPartner,
} from '../../support/deliveries.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import type { TestSettings } from '../../support/test-account.ts';
import {
  type Reply,
  startTestService,
  type TestAccount,
  type TestService,
} from '../../support/test-service.ts';

type Fields = Record<string, unknown>;

export type CreatedOrder = {
  readonly order_id: string;
  readonly invoice_id: string;
  readonly token: string;
};

export type DeliveryRow = {
  readonly delivery_id: string;
  readonly delivery_key: string;
  readonly state: DeliveryState;
  readonly why: string | null;
  readonly flags: string[];
  readonly order_id: string | null;
  readonly tries: number;
  readonly next_try_at: Date | null;
};

/** A service with one account, and the calls that merchant and providers make. */
export type Shop = {
  readonly service: TestService;
  readonly account: TestAccount;
  /** A new merchant token, because the clock may have been moved. */
  readonly freshToken: () => Promise<string>;
  readonly createOrder: (changes?: Fields) => Promise<CreatedOrder>;
  readonly enquire: (ids: Fields, token?: string) => Promise<Reply>;
  readonly sendPartner: (body: Fields | string, options?: SendOptions) => Promise<Reply>;
  readonly sendGateway: (body: Fields | string, options?: SendOptions) => Promise<Reply>;
  /** As a bearer caller, to the path without an account id. */
  readonly sendAsBearer: (provider: string, body: Fields | string) => Promise<Reply>;
  readonly listDeliveries: () => Promise<DeliveryRow[]>;
  readonly findDelivery: (reply: Reply) => Promise<DeliveryRow | undefined>;
  readonly listHistory: (order: CreatedOrder) => Promise<HistoryEntry[]>;
};

export async function openShop(settings: TestSettings = {}): Promise<Shop> {
  const service = await startTestService();
  return shopOf(service, await service.createAccount(settings));
}

export function shopOf(service: TestService, account: TestAccount): Shop {
  const { accountId } = account;
  const freshToken = async () => (await issueMerchantToken(service.services, accountId)).token;
  const listDeliveries = async () => {
    const { rows } = await service.database.query<DeliveryRow>({
      text: `select delivery_id, delivery_key, state, why, flags, order_id, tries, next_try_at
               from deliveries where account_id = $1 order by received_at, delivery_id`,
      values: [accountId],
    });
    return rows;
  };
  return {
    service,
    account,
    freshToken,
    listDeliveries,
    createOrder: async (changes) => {
      const reply = await service.call('/api/v3/create-order', {
        token: await freshToken(),
        body: orderBody(changes),
      });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return reply.body;
    },
    enquire: async (ids, token) =>
      service.call('/api/v3/transaction-enquiry', {
        token: token ?? (await freshToken()),
        body: ids,
      }),
    sendPartner: (body, options) => sendPartner(service, account, body, options),
    sendGateway: (body, options) => sendGateway(service, account, body, options),
    sendAsBearer: async (provider, body) =>
      service.call(`/api/v3/webhooks/${provider}`, { token: await freshToken(), body }),
    findDelivery: async ({ body }) =>
      (await listDeliveries()).find(({ delivery_id }) => delivery_id === body.delivery_id),
    listHistory: ({ order_id }) =>
      listRecentHistory(service.database, { accountId, orderId: order_id }, 1_000),
  };
}

/** The partner's capture of an order's payment. */
export function captureOf({ order_id }: { order_id: string }, changes: Fields = {}): Fields {
  const payment = partnerPayment({ notes: { svc_order_id: order_id }, ...changes });
  return partnerEvent('payment.captured', { payment });
}

/** The bank gateway's payment of an order. */
export function gatewayPaymentOf(
  { order_id }: { order_id: string },
  changes: Record<string, unknown> = {},
): Fields {
  const { order = {}, ...others } = changes;
  return gatewayBody({ order: { id: order_id, ...(order as Fields) }, ...others });
}

/** Asserts the whole 200 reply to a delivery; its id may be any, and the message may be a pattern. */
export function assertReceived(
  reply: Reply,
  expected: { status: string; order_id?: string; message?: string | RegExp },
): void {
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { delivery_id, ...others } = reply.body;
  assert.match(delivery_id, /./);
  const { message } = expected;
  if (message instanceof RegExp) assert.match(others.message, message);
  assert.deepEqual(
    others,
    message instanceof RegExp ? { ...expected, message: others.message } : expected,
  );
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
  assert.ok(reply.headers.get('x-request-id'));
}

/** Contract 9: the invariants that must always hold. */
export async function assertInvariants({ service }: Pick<Shop, 'service'>): Promise<void> {
  const { breaches } = await verifyInvariants(service.services);
  assert.deepEqual(breaches, []);
}
