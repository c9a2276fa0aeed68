/**
 * `npm run bench:dashboard [-- --orders 10000000]`: how long the dashboard waits for each of its pages, lists and
 * searches in an account with that many orders, and what the indexes for them cost create order. 200,000 orders unless
 * given; 10,000,000 need about 30 GB of disk and an hour. `--data FOLDER` keeps the filled database for another
 * measurement; `--cost-rounds 0` leaves out create order, for which the indexes are built again in each round.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandLine } from '../../../src/domain/audit.ts';
import type { Database } from '../../../src/postgres/database.ts';
import type { AccountDirectory } from '../../../src/services/account-directory.ts';
import { rebuildFigures } from '../../../src/use-cases/reports/count-figures.ts';
import { capturedWebhook } from '../../harness/captured-webhook.ts';
import { runJsonCommand } from '../../harness/command-line.ts';
import { type Request, send } from '../../harness/send.ts';
import { fillDeliveries } from '../fill-deliveries.ts';
import { medianOf } from '../median.ts';
import { makeOrders, partnerWebhooks } from '../requests.ts';
import { openShop, type Shop, signIn } from '../shop.ts';
import { type Program, withDatabaseAlone, withDataDir, withService } from '../stage.ts';
import { fillDashboard } from './fill.ts';
import { measureIndexCost } from './index-cost.ts';
import { listPageCalls } from './page-calls.ts';
import { listQuestions, timeQuestion } from './questions.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '100' },
    data: { type: 'string' },
    'cost-rounds': { type: 'string', default: '9' },
  },
});
const [orders, rounds] = [Number(values.orders), Number(values.rounds)];
/** Finished ones are many, too, but the pages read those that wait and the newest. */
const deliveriesMax = 300_000;
/** The name of the delivery that is copied. */
const parked = 'parkedoriginal';
const consumerKey = { 'consumer-id-key': [{ value: 'bench' }] };

type Filled = { readonly shop: Shop; readonly orderId: string };

if (values.data === undefined) await withDataDir(measure);
else {
  await mkdir(values.data, { recursive: true });
  await measure(resolve(values.data));
}

async function measure(dataDir: string): Promise<void> {
  const { shop, orderId } = (await readFilled(dataDir)) ?? (await fill(dataDir));
  await withService(dataDir, async (service, database) => {
    const { accountId } = shop;
    // The searches need nothing of an account but the key of its consumer ids, and no order here has a real one.
    const get = async () => ({ accountId, secrets: consumerKey });
    const accounts = { get } as unknown as AccountDirectory;
    for (const question of [
      ...(await listPageCalls(service.url, shop, orderId)),
      ...listQuestions({ database, accounts, accountId, orders }),
    ]) {
      const { what, found, p50Ms, p99Ms } = await timeQuestion(question, rounds);
      console.log(`${what}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms (${found})`);
    }
    const costRounds = Number(values['cost-rounds']);
    if (costRounds === 0) return;
    const signedIn = await signIn(service.url, shop);
    const cost = await measureIndexCost(service, database, signedIn, costRounds);
    const cpu = (cost.with.cpuMicros / cost.without.cpuMicros).toFixed(3);
    console.log(
      `create order with the indexes: ${cpu} of the CPU without (${cost.with.cpuMicros.toFixed(0)} and ` +
        `${cost.without.cpuMicros.toFixed(0)} µs), ${medianOf(cost.ratios).toFixed(3)} of the throughput ` +
        `(pairs: ${cost.ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`,
    );
  });
}

async function fill(dataDir: string): Promise<Filled> {
  const { shop, orderId, deliveryId } = await withService(dataDir, makeOriginals(dataDir));
  const { accountId } = shop;
  await withDatabaseAlone(dataDir, async (database) => {
    await fillDashboard(database, { accountId, orderId }, orders);
    const deliveries = Math.min(orders, deliveriesMax);
    await fillDeliveries(database, { accountId, deliveryId, name: parked }, deliveries);
    const startedAt = performance.now();
    const { counted } = await rebuildFigures({ database, clock: () => new Date() }, commandLine);
    const seconds = (performance.now() - startedAt) / 1_000;
    console.log(
      `${orders} orders filled; ${counted} half hours counted in ${seconds.toFixed(0)} s`,
    );
  });
  const filled: Filled = { shop, orderId };
  await writeFile(filledFile(dataDir), JSON.stringify(filled), { mode: 0o600 });
  return filled;
}

/** A paid order and a parked delivery, which the others are copied from. */
function makeOriginals(dataDir: string) {
  return async (service: Program, database: Database) => {
    const shop = await openShop(service.url, dataDir);
    const words = ['endpoint', 'create', shop.accountId, '--url', 'https://shop.example/events'];
    await runJsonCommand(words, { DATA_DIR: dataDir });
    const paid = await makeOrders(database, service.url, shop, 1);
    const answerTo = async (request: Request) =>
      (await (await send(service.url, request)).json()) as Record<string, unknown>;
    await answerTo(partnerWebhooks(shop, paid)());
    const { delivery_id } = await answerTo(
      capturedWebhook(shop, parked, { invoice_id: `OTHER-${parked}` }),
    );
    return { shop, orderId: paid[0]?.orderId ?? '', deliveryId: String(delivery_id) };
  };
}

/** Written when everything is filled: a fill that was cut short is not measured. */
function filledFile(dataDir: string): string {
  return join(dataDir, 'filled.json');
}

async function readFilled(dataDir: string): Promise<Filled | undefined> {
  const text = await readFile(filledFile(dataDir), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Filled);
}
