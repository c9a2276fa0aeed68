/**
 * `npm run bench:growth [-- orders]`: compares the cost of a create, an enquiry and a webhook in a database of
 * 10,000,000 paid orders with one of 10,000. Both run side by side and are measured in turn. The database copies the
 * rows from one order that the service created; the default needs about 20 GB of disk and a quarter of an hour.
 */
import { writeFile } from 'node:fs/promises';
import type { Database } from '../../src/postgres/database.ts';
import { fillOrders } from './fill-orders.ts';
import { type Measured, measure, type NextRequest } from './load.ts';
import { medianOf } from './median.ts';
import { createOrders, enquire, makeOrders, partnerWebhooks } from './requests.ts';
import { openShop, type Shop, signIn } from './shop.ts';
import { type Program, withDataDir, withService } from './stage.ts';

const smallSize = 10_000;
const largeSize = Number(process.argv[2] ?? 10_000_000);
const rounds = 7;
const load = { connections: 64, seconds: 2 };

type Stage = { readonly service: Program; readonly database: Database; readonly shop: Shop };

const kinds: Readonly<Record<string, (stage: Stage) => Promise<NextRequest>>> = {
  'create order': async ({ shop }) => createOrders(shop),
  'enquiry by order id': async ({ shop, database }) =>
    enquire(shop, await listOrderIds(database, shop)),
  'partner webhook': async (stage) => partnerWebhooks(stage.shop, await makeSome(stage)),
};

await withStage(largeSize, (large) => withStage(smallSize, (small) => compare(small, large)));

async function withStage(orders: number, use: (stage: Stage) => Promise<void>): Promise<void> {
  await withDataDir(async (dataDir) => {
    // Stopping the service flushes everything to disk, so that the flush is not part of the measurement.
    const shop = await withService(dataDir, async (service, database) => {
      const shop = await openShop(service.url, dataDir);
      const [paid] = await makeSome({ service, database, shop }, 1);
      const { path, headers, body } = partnerWebhooks(shop, paid ? [paid] : [])();
      await fetch(`${service.url}${path}`, { method: 'POST', headers, body });
      const startedAt = performance.now();
      await fillOrders(database, shop.accountId, paid?.orderId ?? '', orders);
      console.log(`${orders} orders in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
      return shop;
    });
    await withService(dataDir, async (service, database) =>
      use({ service, database, shop: await signIn(service.url, shop) }),
    );
  });
}

async function compare(small: Stage, large: Stage): Promise<void> {
  const lines: string[] = [];
  for (const [what, prepare] of Object.entries(kinds)) {
    const costs: { small: Measured[]; large: Measured[] } = { small: [], large: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, stage] of Object.entries({ small, large })) {
        const measured = await measure(stage.service, await prepare(stage), load);
        if (measured.refused > 0)
          throw new Error(`${what}: ${measured.refused} were not answered 200`);
        // The first round is the warm-up.
        if (round > 0) costs[name as 'small' | 'large'].push(measured);
      }
    }
    const ratio = (of: (measured: Measured) => number) =>
      medianOf(costs.large.map(of)) / medianOf(costs.small.map(of));
    const cells = [
      what,
      medianOf(costs.small.map(({ perSecond }) => perSecond)).toFixed(0),
      medianOf(costs.large.map(({ perSecond }) => perSecond)).toFixed(0),
      (1 / ratio(({ perSecond }) => perSecond)).toFixed(2),
      ratio((all) => all.cpuMicrosPerRequest + all.databaseMicrosPerRequest).toFixed(2),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
    console.log(lines.at(-1));
  }
  const text = `# Growth

\`npm run bench:growth\`: ${load.connections} connections, a database of ${largeSize} paid orders against one of ${smallSize}, side by side.
Each order has its transaction and its provider's name. At most 1.2 times the cost is what we want.

| what | small, per second | large, per second | time, large / small | CPU with database, large / small |
|---|---:|---:|---:|---:|
${lines.join('\n')}
`;
  console.log(text);
  await writeFile(new URL('GROWTH.md', import.meta.url), text);
}

function makeSome({ database, service, shop }: Stage, count = 20_000) {
  return makeOrders(database, service.url, shop, count);
}

async function listOrderIds(database: Database, { accountId }: Shop) {
  const { rows } = await database.query<{ order_id: string }>({
    text: 'select order_id from orders where account_id = $1 order by order_id limit 5000',
    values: [accountId],
  });
  return rows;
}
