/** What one endpoint costs the webhooks of its account, compared with an account without endpoints. */
import { measure } from './load.ts';
import { medianOf } from './median.ts';
import { makeOrders, partnerWebhooks } from './requests.ts';
import { openShop, type Shop } from './shop.ts';
import { addEndpoint, startShopEndpoint } from './shop-endpoint.ts';
import type { Stage } from './targets.ts';

const rounds = 9;
const seconds = 1;

/** The throughput with one endpoint divided by the throughput without. Events are sent meanwhile. */
export async function measureOneEndpoint({ service, database, shop }: Stage): Promise<number> {
  const told = await openShop(service.url, shop.dataDir);
  const endpoint = await startShopEndpoint('accept');
  await addEndpoint(told, endpoint.url);
  const deliver = async (own: Shop) => {
    const orders = await makeOrders(database, service.url, own, seconds * 8_000);
    const next = partnerWebhooks(own, orders);
    return (await measure(service, next, { connections: 64, seconds })).perSecond;
  };
  await deliver(told);
  const found: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // In both orders, because what is measured second finds a larger database.
    const first = { without: await deliver(shop), with: await deliver(told) };
    const second = { with: await deliver(told), without: await deliver(shop) };
    found.push((first.with + second.with) / (first.without + second.without));
  }
  await endpoint.close();
  return medianOf(found);
}
