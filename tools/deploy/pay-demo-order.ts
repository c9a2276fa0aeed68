/** Creates an order of the demo account, and pays it on the checkout page and at the simulator, as a person would. */
import { createClient } from '../../client/client.js';
import { payAtPage } from '../demo/consumer.ts';
import { enquireUntil } from '../demo/enquire-until.ts';
import { startAtCheckout } from '../demo/start-at-checkout.ts';
import { cart } from '../harness/cart.ts';

/** Takes the text of `demo.env`. Resolves when the service shows the order as paid. */
export async function payDemoOrder(demoEnv: string): Promise<void> {
  const read = (name: string) => new RegExp(`^${name}='(.*)'$`, 'm').exec(demoEnv)?.[1] ?? '';
  const baseUrl = read('SERVICE_URL');
  const [accessKey, accessSecret] = [read('ACCESS_KEY'), read('ACCESS_SECRET')];
  const client = createClient({ baseUrl, accessKey, accessSecret });
  const { order_id, token } = await client.createOrder(cart('INV-1', '118.00'));
  const opened = { orderId: order_id, token: String(token) };
  const page = await startAtCheckout(baseUrl, opened, 'credit_card');
  if (page === undefined) throw new Error('the checkout page leads to no payment page');
  await payAtPage(page);
  const isPaid = ({ order }: { order: { status: string } }) => order.status === 'completed';
  await enquireUntil({ client, patienceMs: 30_000 }, { order_id }, isPaid);
}
