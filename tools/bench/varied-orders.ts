/** Orders in the states that a shop has, as the sources of a large database: most have no transaction or one. */
import { createHmac } from 'node:crypto';
import type { Database } from '../../src/postgres/database.ts';
import type { NextRequest } from './load.ts';
import { gatewayWebhooks, makeOrders, ownName, partnerWebhooks } from './requests.ts';
import type { Shop } from './shop.ts';
import type { Program } from './stage.ts';

/** Of ten orders, four are unpaid, four paid at the partner, one at the bank gateway, and one is refunded. */
const unpaid = 4;
const paidAtPartner = 5;

/** Resolves with the ids of ten orders. */
export async function makeVariedOrders(
  { url }: Program,
  database: Database,
  shop: Shop,
): Promise<string[]> {
  const orders = await makeOrders(database, url, shop, 10);
  const send = async ({ path, headers, body }: ReturnType<NextRequest>) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  };
  const atPartner = orders.slice(unpaid, unpaid + paidAtPartner);
  const nextAtPartner = partnerWebhooks(shop, atPartner);
  for (const _order of atPartner) await send(nextAtPartner());
  await send(gatewayWebhooks(shop, orders.slice(unpaid + paidAtPartner))());
  const [refunded] = atPartner;
  if (refunded) await send(refundWebhook(shop, refunded.orderId));
  return orders.map(({ orderId }) => orderId);
}

function refundWebhook(shop: Shop, orderId: string): ReturnType<NextRequest> {
  const created_at = 1_800_000_100;
  const refund = {
    id: `rfnd_${ownName(orderId)}`,
    entity: 'refund',
    amount: 5_000,
    currency: 'INR',
    payment_id: `pay_${ownName(orderId)}`,
    notes: [],
    acquirer_data: { arn: null },
    status: 'processed',
    created_at,
  };
  const body = JSON.stringify({
    entity: 'event',
    account_id: 'acc_bench',
    event: 'refund.processed',
    contains: ['refund'],
    payload: { refund: { entity: refund } },
    created_at: created_at + 5,
  });
  const hmac = createHmac('sha256', shop.partnerWebhookSecret);
  return {
    path: `/api/v3/webhooks/partner/${shop.accountId}`,
    headers: {
      'content-type': 'application/json',
      'x-razorpay-event-id': `evtr${ownName(orderId)}`,
      'x-razorpay-signature': hmac.update(body).digest('hex'),
    },
    body,
  };
}
