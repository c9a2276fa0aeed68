/**
 * What a provider that hangs does to everybody else: creates and enquiries are measured alone, and again
 * while as many payments as can be started wait for a provider that takes every call and never answers.
 */
import { createServer } from 'node:http';
import type { Database } from '../src/store/database.ts';
import { measure, type Served } from './load.ts';
import { createOrders, enquire, makeOrders, type Shop, setPartnerUrl } from './shop.ts';

export type Hanging = {
  /** Throughput beside the hanging provider to that without it. */
  readonly create: number;
  readonly enquiry: number;
  /** How many payments were waiting. */
  readonly waiting: number;
};

const payers = 200;

export async function measureBesideHangingProvider(
  {
    service,
    database,
    shop,
  }: { readonly service: Served; readonly database: Database; readonly shop: Shop },
  seconds: number,
): Promise<Hanging> {
  let waiting = 0;
  const provider = createServer(() => {
    waiting += 1;
  }).listen(0, '127.0.0.1');
  const { port } = provider.address() as { port: number };
  await setPartnerUrl(shop, `http://127.0.0.1:${port}`);

  const orders = await makeOrders(database, service.url, shop, 1_000);
  const ids = orders.map(({ orderId }) => ({ order_id: orderId }));
  const options = { connections: 64, seconds };
  const measureBoth = async () => ({
    create: (await measure(service, createOrders(shop), options)).perSecond,
    enquiry: (await measure(service, enquire(shop, ids), options)).perSecond,
  });
  const alone = await measureBoth();
  const payments = orders
    .slice(0, payers)
    .map(({ orderId }) => startPayment(service, shop, orderId));
  const beside = await measureBoth();
  provider.closeAllConnections();
  provider.close();
  await Promise.all(payments);
  return {
    create: beside.create / alone.create,
    enquiry: beside.enquiry / alone.enquiry,
    waiting,
  };
}

async function startPayment({ url }: Served, { authorization }: Shop, order_id: string) {
  const body = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  const response = await fetch(`${url}/api/v3/initiate-payment`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(body),
  });
  await response.text();
}
