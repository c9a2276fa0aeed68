/** What the attacks use: a session of an account, its endpoint, and an order with thousands of deliveries. */

import { capturedWebhook } from '../../harness/captured-webhook.ts';
import { runJsonCommand } from '../../harness/command-line.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { send } from '../../harness/send.ts';
import { signInAs } from '../dashboard/page-calls.ts';
import { createOrders } from '../requests.ts';
import type { Shop } from '../shop.ts';
import type { Target } from './attacks.ts';

const payments = 125;
const deliveriesOfPayment = 20;
/** Orders whose events go to the endpoint of the attacker. */
const orders = 300;

export async function prepareTarget(url: string, shop: Shop): Promise<Target> {
  const { accountId, dataDir } = shop;
  const cookie = await signInAs(url, { accountId, dataDir, role: 'owner' });
  const receiverPort = await findFreePort();
  const words = ['endpoint', 'create', accountId, '--url', `http://127.0.0.1:${receiverPort}/`];
  const { endpoint_id: endpointId } = await runJsonCommand(words, { DATA_DIR: dataDir });
  const orderId = await createOrder(url, shop);
  for (let payment = 0; payment < payments; payment += 1) {
    const sent = Array.from({ length: deliveriesOfPayment }, (_, second) =>
      deliver(url, shop, `why${payment}`, orderId, second),
    );
    await Promise.all(sent);
  }
  for (let order = 0; order < orders; order += 1) {
    await deliver(url, shop, `event${order}`, await createOrder(url, shop), 0);
  }
  const page = await (await fetch(`${url}/dashboard`)).text();
  const files = [...page.matchAll(/href="([^"]+\.js)"/g)].map(([, path = '']) => path);
  return { url, cookie, orderId, endpointId: String(endpointId), receiverPort, files };
}

async function createOrder(url: string, shop: Shop): Promise<string> {
  const response = await send(url, createOrders(shop)());
  return ((await response.json()) as { order_id: string }).order_id;
}

async function deliver(url: string, shop: Shop, name: string, orderId: string, second: number) {
  const sent = capturedWebhook(shop, name, { svc_order_id: orderId }, second);
  // Not covered by the signature.
  const headers = { ...sent.headers, 'x-razorpay-event-id': `evt${name}${second}` };
  const reply = await send(url, { ...sent, headers });
  if (reply.status !== 200) throw new Error(`a delivery was answered ${reply.status}`);
}
