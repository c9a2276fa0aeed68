/**
 * `npm run bench:dashboard [-- --orders 10000000]`: how long the dashboard waits for its overview, lists and searches
 * in an account with that many orders, and what the indexes for them cost create order. 200,000 orders unless given;
 * 10,000,000 need about 30 GB of disk.
 */
import { parseArgs } from 'node:util';
import { rebuildFigures } from '../../../src/use-cases/maintenance/rebuild-figures.ts';
import { makeOrders, partnerWebhooks } from '../requests.ts';
import { openShop, signIn } from '../shop.ts';
import { withDatabaseAlone, withDataDir, withService } from '../stage.ts';
import { fillDashboard } from './fill.ts';
import { measureIndexCost } from './index-cost.ts';
import { listQuestions, timeQuestion } from './questions.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '100' },
  },
});
const [orders, rounds] = [Number(values.orders), Number(values.rounds)];
const consumerKey = { 'consumer-id-key': [{ value: 'bench' }] };

await withDataDir(async (dataDir) => {
  const { shop, orderId } = await withService(dataDir, async (service, database) => {
    const shop = await openShop(service.url, dataDir);
    const paid = await makeOrders(database, service.url, shop, 1);
    const { path, headers, body } = partnerWebhooks(shop, paid)();
    await (await fetch(`${service.url}${path}`, { method: 'POST', headers, body })).text();
    return { shop, orderId: paid[0]?.orderId ?? '' };
  });
  const { accountId } = shop;
  await withDatabaseAlone(dataDir, async (database) => {
    await fillDashboard(database, { accountId, orderId }, orders);
    const startedAt = performance.now();
    const { counted } = await rebuildFigures({ database, clock: () => new Date() });
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(
      `${orders} orders filled; ${counted} half hours counted in ${seconds.toFixed(0)} s`,
    );
  });
  await withService(dataDir, async (service, database) => {
    // The searches need nothing of an account but the key of its consumer ids, and no order here has a real one.
    const accounts = { get: async () => ({ accountId, secrets: consumerKey }) as never };
    for (const question of listQuestions({ database, accounts, accountId, orders })) {
      const { what, found, p50Ms, p99Ms } = await timeQuestion(question, rounds);
      console.log(`${what}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms (${found})`);
    }
    const cost = await measureIndexCost(service, database, await signIn(service.url, shop));
    const cpu = (cost.with.cpuMicros / cost.without.cpuMicros).toFixed(3);
    console.log(
      `create order with the indexes: ${cpu} of the CPU without (${cost.with.cpuMicros.toFixed(0)} and ` +
        `${cost.without.cpuMicros.toFixed(0)} µs), ${cost.ratio.toFixed(3)} of the throughput`,
    );
  });
});
