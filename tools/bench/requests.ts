/** The requests that the load generator sends for a shop. */
import { newOrderId } from '../../src/domain/ids.ts';
import type { Database } from '../../src/postgres/database.ts';
import { capturedWebhook } from '../harness/captured-webhook.ts';
import { teaOrder } from '../harness/cart.ts';
import { send } from '../harness/send.ts';
import type { NextRequest } from './load.ts';
import type { Shop } from './shop.ts';

let made = 0;
/** Unique across runs and requests. */
function nextName(): string {
  made += 1;
  return `BENCH-${process.pid}-${made}`;
}

export function createOrders({ authorization }: Pick<Shop, 'authorization'>): NextRequest {
  const headers = { authorization, 'content-type': 'application/json' };
  const [before, after] = JSON.stringify(teaOrder('INVOICE')).split('INVOICE');
  return () => ({
    path: '/api/v3/create-order',
    headers,
    body: `${before}${nextName()}${after}`,
  });
}

export type MadeOrder = { readonly orderId: string; readonly invoiceId: string };

/** Creates open orders as copies of one that the service created. */
export async function makeOrders(
  database: Database,
  url: string,
  shop: Shop,
  count: number,
): Promise<MadeOrder[]> {
  const response = await send(url, createOrders(shop)());
  const { order_id } = (await response.json()) as { order_id: string };
  const name = nextName();
  const now = new Date();
  const orders = Array.from({ length: count }, (_order, index) => ({
    orderId: newOrderId(now),
    invoiceId: `${name}-${index + 1}`,
  }));
  await database.query({
    // Whatever other columns the table has: the database may be that of another release.
    text: `insert into orders select copy.*
             from orders o, unnest($4::text[]) with ordinality as made (order_id, n),
                  jsonb_populate_record(o, jsonb_build_object('order_id', made.order_id,
                    'invoice_id', $3 || '-' || made.n)) as copy
            where o.account_id = $1 and o.order_id = $2`,
    values: [shop.accountId, order_id, name, orders.map(({ orderId }) => orderId)],
  });
  // Consumers pay in random order: orders that were created together are not paid together.
  const reversed = ({ orderId }: MadeOrder) => [...orderId].reverse().join('');
  return orders.toSorted((a, b) => (reversed(a) < reversed(b) ? -1 : 1));
}

/** Sends each entry only once, because a repeat is cheaper than a new delivery. */
function eachOnce<Entry>(entries: readonly Entry[]): () => Entry {
  let next = 0;
  return () => {
    const entry = entries[next];
    if (entry === undefined) throw new Error('too few deliveries were prepared');
    next += 1;
    return entry;
  };
}

export function enquire(
  { authorization }: Shop,
  ids: readonly Readonly<Record<string, string>>[],
): NextRequest {
  const headers = { authorization, 'content-type': 'application/json' };
  const bodies = ids.map((entry) => JSON.stringify(entry));
  let next = 0;
  return () => {
    next = (next + 7) % bodies.length;
    return { path: '/api/v3/transaction-enquiry', headers, body: bodies[next] ?? '' };
  };
}

export function partnerWebhooks(shop: Shop, orders: readonly MadeOrder[]): NextRequest {
  return eachOnce(
    orders.map(({ orderId }) => capturedWebhook(shop, ownName(orderId), { svc_order_id: orderId })),
  );
}

/** The payment partner's ids begin with the time and end with random characters, as ours do. */
export function ownName(orderId: string): string {
  return orderId.slice(2);
}

export function gatewayWebhooks(shop: Shop, orders: readonly MadeOrder[]): NextRequest {
  const path = `/api/v3/webhooks/bank-gateway/${shop.accountId}`;
  return eachOnce(
    orders.map(({ orderId }) => ({
      path,
      headers: {
        'content-type': 'application/json',
        'x-notification-id': `ntf${ownName(orderId)}`,
        'x-notification-secret': shop.bankGatewaySecret,
      },
      body: JSON.stringify(gatewayNotification(orderId)),
    })),
  );
}

function gatewayNotification(orderId: string) {
  const time = '2027-01-15T08:00:00.000Z';
  return {
    merchant: 'BENCH',
    result: 'SUCCESS',
    timeOfLastUpdate: time,
    timeOfRecord: time,
    version: '100',
    order: {
      id: orderId,
      amount: 118,
      currency: 'INR',
      creationTime: time,
      status: 'CAPTURED',
      totalAuthorizedAmount: 118,
      totalCapturedAmount: 118,
      totalRefundedAmount: 0,
    },
    response: { gatewayCode: 'APPROVED', acquirerCode: '00', acquirerMessage: 'Approved' },
    sourceOfFunds: {
      type: 'CARD',
      provided: { card: { brand: 'VISA', fundingMethod: 'CREDIT', number: '411111xxxxxx1111' } },
    },
    transaction: {
      id: '1',
      type: 'PAYMENT',
      amount: 118,
      currency: 'INR',
      receipt: '012345678901',
      acquirer: { id: 'HDFC_S2I', transactionId: '123456789' },
    },
  };
}

/** One create, two enquiries and one webhook, in turn. */
export function mixed(shop: Shop, orders: readonly MadeOrder[]): NextRequest {
  const ids = orders.slice(0, 1_000).map(({ orderId }) => ({ order_id: orderId }));
  return inTurn([
    createOrders(shop),
    enquire(shop, ids),
    enquire(shop, ids),
    partnerWebhooks(shop, orders),
  ]);
}

export function inTurn(nexts: readonly NextRequest[]): NextRequest {
  let turn = 0;
  return () => {
    const next = nexts[turn % nexts.length];
    if (!next) throw new Error('there is nothing to send');
    turn += 1;
    return next();
  };
}
