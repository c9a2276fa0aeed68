/** The measured targets: each kind of request, and the floor that it is compared with. */
import type { Database } from '../../src/postgres/database.ts';
import type { NextRequest, Served } from './load.ts';
import {
  createOrders,
  enquire,
  gatewayWebhooks,
  type MadeOrder,
  makeOrders,
  mixed,
  partnerWebhooks,
} from './requests.ts';
import type { Shop } from './shop.ts';
import type { Program } from './stage.ts';

export type Stage = {
  readonly floor: Program;
  readonly service: Served;
  readonly database: Database;
  readonly shop: Shop;
};

export type Target = {
  readonly what: string;
  readonly served: Served;
  /** Prepares the requests for a measurement of this duration. */
  readonly prepare: (seconds: number) => Promise<NextRequest> | NextRequest;
};

export function targetsOf(stage: Stage): Target[] {
  const { floor, shop } = stage;
  return [
    { what: 'floor: bare Fastify', served: floor, prepare: () => createOrders(shop) },
    ...serviceTargets(stage),
  ];
}

export function serviceTargets({ service, database, shop }: Omit<Stage, 'floor'>): Target[] {
  const made = (count: number) => makeOrders(database, service.url, shop, count);
  // More than can be delivered in that time, so that none has to be sent twice.
  const toDeliver = (seconds: number) => made(seconds * 8_000);
  const asked = (name: string, idOf: (order: MadeOrder) => string) => async () => {
    const orders = await made(1_000);
    return enquire(
      shop,
      orders.map((order) => ({ [name]: idOf(order) })),
    );
  };
  return [
    { what: 'create order', served: service, prepare: () => createOrders(shop) },
    {
      what: 'enquiry by order id',
      served: service,
      prepare: asked('order_id', ({ orderId }) => orderId),
    },
    {
      what: 'enquiry by invoice id',
      served: service,
      prepare: asked('invoice_id', ({ invoiceId }) => invoiceId),
    },
    {
      what: 'enquiry by transaction id',
      served: service,
      prepare: async () => enquire(shop, await listTransactionIds(database, shop)),
    },
    {
      what: 'partner webhook',
      served: service,
      prepare: async (seconds) => partnerWebhooks(shop, await toDeliver(seconds)),
    },
    {
      what: 'bank gateway webhook',
      served: service,
      prepare: async (seconds) => gatewayWebhooks(shop, await toDeliver(seconds)),
    },
    {
      what: 'mixed',
      served: service,
      prepare: async (seconds) => mixed(shop, await toDeliver(seconds)),
    },
  ];
}

/** Transactions from earlier webhooks. In the warm-up there may be none yet; the enquiry then finds nothing. */
async function listTransactionIds(database: Database, { accountId }: Shop) {
  const { rows } = await database.query<{ transaction_id: string }>({
    text: 'select transaction_id from transactions where account_id = $1 limit 1000',
    values: [accountId],
  });
  return rows.length === 0 ? [{ transaction_id: 'none' }] : rows;
}
