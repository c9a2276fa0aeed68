/** The three kinds of requests, for one account or for many in turn. */
import type { NextRequest } from '../load.ts';
import {
  createOrders,
  enquire,
  inTurn,
  type MadeOrder,
  makeOrders,
  partnerWebhooks,
} from '../requests.ts';
import type { Shop } from '../shop.ts';
import type { Stage } from './stage.ts';

export type Kind = 'create order' | 'webhook' | 'enquiry';

export const kinds: readonly Kind[] = ['create order', 'webhook', 'enquiry'];

/** `count` is how many requests can be sent: a webhook is sent once. */
export async function prepare(
  { database, services: [service] }: Stage,
  kind: Kind,
  shops: readonly Shop[],
  count: number,
): Promise<NextRequest> {
  const url = service?.baseUrl ?? '';
  const ofEach = Math.ceil(count / shops.length);
  const senders: NextRequest[] = [];
  for (const shop of shops) {
    const orders = kind === 'create order' ? [] : await makeOrders(database, url, shop, ofEach);
    senders.push(requestsOf(kind, shop, orders));
  }
  return inTurn(senders);
}

function requestsOf(kind: Kind, shop: Shop, orders: readonly MadeOrder[]): NextRequest {
  if (kind === 'create order') return createOrders(shop);
  if (kind === 'webhook') return partnerWebhooks(shop, orders);
  return enquire(
    shop,
    orders.map(({ orderId }) => ({ order_id: orderId })),
  );
}
