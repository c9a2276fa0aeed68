/** Takes many orders through a bad day of their providers, all at once and in rounds, until everything has settled. */
import { after, mock } from 'node:test';
import { pick, randomOf } from '../../../simulator/random.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { startFaultyProvider } from '../faulty-provider/faulty-provider.ts';
import { inParallel } from '../faulty-provider/in-parallel.ts';
import { openShopAt } from '../journey.ts';
import { pollAllDue } from '../poll-all-due.ts';
import { addEndpoint, type ShopEndpoint, startShopEndpoint } from '../shop-endpoint.ts';
import { startTestService } from '../test-service.ts';
import {
  createLedgerOrder,
  type LedgerOrder,
  type LedgerShop,
  type LedgerStage,
} from './ledger-order.ts';
import { takeStep } from './ledger-steps.ts';

export type LedgerRun = LedgerStage & {
  readonly shops: readonly LedgerShop[];
  readonly orders: readonly LedgerOrder[];
  readonly endpoint: ShopEndpoint;
  /** What a step met that must never happen, by the order. */
  readonly troubles: Map<string, string[]>;
};

export type LedgerOptions = {
  readonly seed: number;
  /** The first one, and how many. The same number is always the same order. */
  readonly first: number;
  readonly count: number;
};

const ordersPerShop = 5;
const rounds = 8;
const concurrent = 64;

/** The whole process uses one clock, which only this test moves. */
export async function runLedger({ seed, first, count }: LedgerOptions): Promise<LedgerRun> {
  const now = () => Date.now();
  const service = await startTestService({ port: await findFreePort() });
  const provider = await startFaultyProvider(seed, now);
  const endpoint = await startShopEndpoint();
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  after(() => mock.timers.reset());
  const stage = { service, provider };
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  const shops = new Map<number, LedgerShop>();
  for (const number of new Set(numbers.map(shopNumber))) {
    shops.set(number, await openLedgerShop(stage, endpoint, number));
  }
  const orders: LedgerOrder[] = [];
  await inParallel(concurrent, numbers, async (number) => {
    const shop = shops.get(shopNumber(number));
    if (shop) orders.push(await createLedgerOrder(stage, shop, seed, `order ${number}`));
  });
  const run = { ...stage, shops: [...shops.values()], orders, endpoint, troubles: new Map() };
  const random = randomOf(seed, 'clock');
  for (let round = 0; round < rounds; round += 1) {
    await setDoors(run, seed, round);
    await playRound(run);
    await pass(run, pick(random, [3, 20, 61, 61, 130, 400, 1_900]));
    if (random() < 0.2) await sweep(service.services);
  }
  await settle(run);
  return run;
}

const shopNumber = (order: number): number => Math.floor(order / ordersPerShop);

async function openLedgerShop(
  { service, provider }: LedgerStage,
  endpoint: ShopEndpoint,
  number: number,
): Promise<LedgerShop> {
  const proxy = await provider.openProxy();
  const account = await openShopAt(service, provider.simulator, `_${number}`, {}, proxy.url);
  await addEndpoint(service, account.accountId, endpoint.url);
  return { number, account, proxy };
}

/** In a round, some shops cannot connect to their providers. */
async function setDoors({ shops }: LedgerRun, seed: number, round: number): Promise<void> {
  for (const { proxy, number } of shops) {
    const isClosed = randomOf(seed, `proxy ${number} ${round}`)() < 0.05;
    await (isClosed ? proxy.close() : proxy.open());
  }
}

/** The steps of all orders, and webhooks in between. */
async function playRound(run: LedgerRun): Promise<void> {
  const { provider, orders, troubles } = run;
  const play = inParallel(concurrent, orders, async (order) => {
    await takeStep(run, order).catch((error: Error) => {
      const known = troubles.get(order.name) ?? [];
      troubles.set(order.name, [...known, error.message]);
    });
  });
  await Promise.all([play, provider.deliverDue()]);
}

async function pass({ service, provider }: LedgerStage, seconds: number): Promise<void> {
  mock.timers.tick(seconds * 1000);
  await provider.runDue();
  await Promise.all([pollAllDue(service.services), provider.deliverDue()]);
}

const hour = 3_600;
const day = 24 * hour;

/** Calls no longer go wrong, and everything that is due happens: until a few days after the orders have lapsed. */
async function settle(run: LedgerRun): Promise<void> {
  const { service, provider, shops } = run;
  provider.calmDown();
  for (const { proxy } of shops) await proxy.open();
  const steps = [61, 130, 700, 2 * hour, 7 * hour, 15 * hour, 2 * day, day, 7 * hour];
  for (const seconds of steps) {
    await pass(run, seconds);
    if (seconds > hour) await sweep(service.services);
  }
}
