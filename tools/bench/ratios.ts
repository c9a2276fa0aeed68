/**
 * Compares the service with its floors. The speed of a noisy machine changes from one second to the next, so each
 * number is measured right next to its floor, several times, and the median ratio is used.
 */
import type { DatabaseAddress } from '../../src/postgres/database.ts';
import { measureInserts } from './insert-floor.ts';
import { type Measured, measure } from './load.ts';
import { medianOf } from './median.ts';
import { createOrders } from './requests.ts';
import { openShop } from './shop.ts';
import { type Program, startService } from './stage.ts';
import { type Stage, targetsOf } from './targets.ts';

export const connectionsOfRatios = 64;
const rounds = 5;
const seconds = 1;
const warmUpSeconds = 3;

export type FloorRatios = Awaited<ReturnType<typeof measureRatios>>;

export async function measureRatios(stage: Stage, address: DatabaseAddress) {
  const creates: Measured[] = [];
  const inserts: number[] = [];
  const create: number[] = [];
  const createPerInsert: number[] = [];
  const enquiry: number[] = [];
  const webhook: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { measured, ratio } = await compare(stage, 'create order');
    const inserted = await measureInserts(address, seconds);
    creates.push(measured);
    inserts.push(inserted);
    create.push(ratio);
    createPerInsert.push(measured.perSecond / inserted);
    enquiry.push((await compare(stage, 'enquiry by order id')).ratio);
    webhook.push((await compare(stage, 'partner webhook')).ratio);
    process.stdout.write('.');
  }
  return {
    create: medianOf(create),
    createPerInsert: medianOf(createPerInsert),
    /** p99 divided by p50 of creates. */
    createSpread: medianOf(creates.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms)),
    enquiry: medianOf(enquiry),
    webhook: medianOf(webhook),
    /** The throughput of the second floor, for the report. */
    insertsPerSecond: medianOf(inserts),
  };
}

async function compare(stage: Stage, what: string) {
  const target = targetsOf(stage).find((one) => one.what === what);
  if (!target) throw new Error(`there is no ${what}`);
  const next = await target.prepare(seconds);
  const options = { connections: connectionsOfRatios, seconds };
  const floor = await measure(stage.floor, createOrders(stage.shop), options);
  const measured = await measure(target.served, next, options);
  return { measured, ratio: measured.perSecond / floor.perSecond };
}

/** Two services cannot share one data folder, so each is compared with the floor measured next to it. */
export async function measureWorkers(dataDir: string, floor: Program): Promise<number> {
  const measureWith = async (workers: number) => {
    const service = await startService(dataDir, { workers });
    try {
      const shop = await openShop(service.url, dataDir);
      const next = createOrders(shop);
      const options = { connections: connectionsOfRatios, seconds };
      // Each worker needs its own warm-up.
      await measure(service, next, { ...options, seconds: workers * warmUpSeconds });
      const found: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const beside = await measure(floor, next, options);
        found.push((await measure(service, next, options)).perSecond / beside.perSecond);
      }
      return medianOf(found);
    } finally {
      await service.stop();
    }
  };
  return (await measureWith(2)) / (await measureWith(1));
}
