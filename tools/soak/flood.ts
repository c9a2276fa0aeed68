/**
 * Sends orders and signed deliveries as fast as they are accepted, and records everything that was answered with 2xx.
 * At the end each of these must be stored exactly once.
 */
import type { Client } from '../../client/client.js';
import { capturedWebhook } from '../harness/captured-webhook.ts';
import { cart } from '../harness/cart.ts';
import { send } from '../harness/send.ts';
import { untilAnswered } from './patience.ts';

type FloodShop = {
  readonly baseUrl: string;
  readonly client: Client;
  readonly accountId: string;
  readonly webhookSecret: string;
  readonly name: string;
};

type Acknowledged = { readonly orderId: string; readonly invoiceId: string; isPaid: boolean };

export function startFlood(shop: FloodShop, atOnce: number) {
  const acknowledged: Acknowledged[] = [];
  let made = 0;
  let isOver = false;
  const goOn = async () => {
    while (!isOver) {
      made += 1;
      const invoiceId = `${shop.name}-${made}`;
      const { order_id: orderId } = await shop.client.createOrder(cart(invoiceId, '118.00'));
      const entry = { orderId, invoiceId, isPaid: false };
      acknowledged.push(entry);
      // Some orders are never paid and must stay `new`.
      if (made % 5 === 0) continue;
      await untilAnswered(() => deliver(shop, orderId));
      entry.isPaid = true;
    }
  };
  const running = Promise.all(Array.from({ length: atOnce }, goOn));
  // Whoever stops the flood hears of it.
  running.catch(() => {});
  return {
    /** Answered with 2xx so far. */
    creates: () => acknowledged.length,
    deliveries: () => acknowledged.filter(({ isPaid }) => isPaid).length,
    orderIds: () => acknowledged.map(({ orderId }) => orderId),
    /** Sends nothing more; resolves when every open request is answered. */
    stop: async () => {
      isOver = true;
      await running;
    },
    /** Lists what is missing, duplicated or different from the reply. */
    judge: async () => (await inParts(acknowledged, (entry) => judgeOne(shop, entry))).flat(),
  };
}

async function judgeOne({ client }: FloodShop, entry: Acknowledged): Promise<string[]> {
  const { orderId, invoiceId, isPaid } = entry;
  const { order, transaction } = await client.transactionEnquiry({ invoice_id: invoiceId });
  const succeeded = transaction.filter(({ payment_status }) => payment_status === 'succeeded');
  const wrongs = [
    order.svc_order_id !== orderId && `was answered as ${orderId} and is ${order.svc_order_id}`,
    order.status !== (isPaid ? 'completed' : 'new') && `is ${order.status}`,
    transaction.length !== (isPaid ? 1 : 0) && `has ${transaction.length} transactions`,
    succeeded.length !== (isPaid ? 1 : 0) && `was paid ${succeeded.length} times`,
  ];
  return wrongs.filter((wrong) => wrong !== false).map((wrong) => `${invoiceId} ${wrong}`);
}

/** The caller repeats it until it is answered with 200, as the payment partner does. */
async function deliver(shop: FloodShop, orderId: string): Promise<void> {
  const response = await send(
    shop.baseUrl,
    capturedWebhook(shop, orderId, { svc_order_id: orderId }),
  );
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`a delivery was answered ${response.status} ${text}`);
}

async function inParts<Entry, Result>(
  entries: readonly Entry[],
  judge: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < entries.length; from += 64) {
    results.push(...(await Promise.all(entries.slice(from, from + 64).map(judge))));
  }
  return results;
}
