/**
 * Measures how a hanging provider affects other requests: creates and enquiries alone, and again while the maximum
 * number of payments waits for a provider that accepts every call and never answers.
 */
import { paymentLimits } from '../../src/domain/payments/limits.ts';
import type { Database } from '../../src/postgres/database.ts';
import { startLocalServer } from '../harness/local-server.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { measure, type Served } from './load.ts';
import { medianOf } from './median.ts';
import { createOrders, enquire, makeOrders } from './requests.ts';
import { type Shop, setPartnerUrl } from './shop.ts';

export type Hanging = Awaited<ReturnType<typeof measureOnce>>;

/** The limit of concurrent provider calls; further calls would wait in the queue. */
const payers = paymentLimits.providerCallsMax;
const cycles = 3;

type Stage = { readonly service: Served; readonly database: Database; readonly shop: Shop };

export async function measureBesideHangingProvider(stage: Stage): Promise<Hanging> {
  const found: Hanging[] = [];
  for (let cycle = 0; cycle < cycles; cycle += 1) found.push(await measureOnce(stage));
  return {
    create: medianOf(found.map(({ create }) => create)),
    enquiry: medianOf(found.map(({ enquiry }) => enquiry)),
    waiting: medianOf(found.map(({ waiting }) => waiting)),
  };
}

/** Throughput with the hanging provider divided by throughput without it, and the number of waiting payments. */
async function measureOnce({ service, database, shop }: Stage) {
  let waiting = 0;
  const provider = await startLocalServer(() => {
    waiting += 1;
  });
  await setPartnerUrl(shop, provider.url);

  const orders = await makeOrders(database, service.url, shop, 1_000);
  const ids = orders.map(({ orderId }) => ({ order_id: orderId }));
  // Short, because the calls time out after five seconds and must hang during the whole measurement.
  const options = { connections: 64, seconds: 1.5 };
  const create = async () => (await measure(service, createOrders(shop), options)).perSecond;
  const ask = async () => (await measure(service, enquire(shop, ids), options)).perSecond;

  const alone = { create: await create(), enquiry: await ask() };
  const payments = orders
    .slice(0, payers)
    .map(({ orderId }) => startPayment(service, shop, orderId));
  await waitUntil('all payments wait', () => waiting >= payers);
  const beside = { create: await create(), enquiry: await ask() };
  await provider.close();
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
