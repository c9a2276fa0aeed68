/**
 * `npm run bench`: no arguments, about two minutes. The service against two floors, all in one run and in
 * turn, because machines differ and are noisy: what counts is how they compare. Ends in a table, and writes
 * `bench/RESULTS.md` and `bench/throughput.svg`.
 */
import { writeFile } from 'node:fs/promises';
import type { Database, DatabaseAddress } from '../src/store/database.ts';
import { embeddedAddress } from '../src/store/embedded/embedded-database.ts';
import { measureBesideHangingProvider } from './hanging-provider.ts';
import { measureInserts } from './insert-floor.ts';
import { type Measured, measure, type NextRequest, type Served } from './load.ts';
import { plotOf } from './plot.ts';
import { type Ratios, reportOf } from './report.ts';
import {
  createOrders,
  enquire,
  gatewayWebhooks,
  type MadeOrder,
  makeOrders,
  mixed,
  partnerWebhooks,
} from './requests.ts';
import { openShop, type Shop } from './shop.ts';
import { openStageDatabase, type Program, startFloor, startService, withDataDir } from './stage.ts';

const connectionCounts = [1, 16, 64, 256];
/** Where ratios are taken: measured several times, the middle one counts. */
const connectionsOfRatios = 64;
const rounds = 3;
const seconds = 1.5;
const warmUpSeconds = 4;

export type Row = { readonly what: string; readonly connections: number } & Measured;

type Stage = {
  readonly floor: Program;
  readonly service: Program;
  readonly database: Database;
  readonly shop: Shop;
};

await withDataDir(async (dataDir) => {
  const floor = await startFloor();
  const service = await startService(dataDir);
  const database = openStageDatabase(dataDir);
  try {
    const shop = await openShop(service.url, dataDir);
    const stage = { floor, service, database, shop };
    await warmUp(stage);
    const { rows, inserts } = await measureAll(stage, embeddedAddress(dataDir));
    const hanging = await measureBesideHangingProvider(stage);
    await service.stop();
    const workers = await measureWorkers(dataDir, floor);
    await report(rows, { inserts, hanging, workers });
  } finally {
    await database.close();
    await floor.stop();
    await service.stop();
  }
});

/** Code that has not run yet is slow, and nobody's service is new all day. */
async function warmUp(stage: Stage): Promise<void> {
  for (const { served, prepare } of targetsOf(stage)) {
    const options = { connections: connectionsOfRatios, seconds: warmUpSeconds };
    await measure(served, await prepare(), options);
  }
}

async function measureAll(
  stage: Stage,
  address: DatabaseAddress,
): Promise<{ rows: Row[]; inserts: number }> {
  const rows: Row[] = [];
  const inserts: number[] = [];
  for (const connections of connectionCounts) {
    const times = connections === connectionsOfRatios ? rounds : 1;
    const measured = new Map<string, Measured[]>();
    for (let round = 0; round < times; round += 1) {
      for (const { what, served, prepare } of targetsOf(stage)) {
        const next = await prepare();
        const own = measured.get(what) ?? [];
        own.push(await measure(served, next, { connections, seconds }));
        measured.set(what, own);
        process.stdout.write('.');
      }
      if (connections === connectionsOfRatios) {
        inserts.push(await measureInserts(address, seconds));
      }
    }
    for (const [what, all] of measured) rows.push({ what, connections, ...middle(all) });
  }
  console.log('');
  return { rows, inserts: middleNumber(inserts) };
}

type Target = {
  readonly what: string;
  readonly served: Served;
  readonly prepare: () => Promise<NextRequest> | NextRequest;
};

function targetsOf({ floor, service, database, shop }: Stage): Target[] {
  // More than can be delivered in the time, so that none has to be sent twice.
  const made = (count: number) => makeOrders(database, service.url, shop, count);
  const asked = (name: string, idOf: (order: MadeOrder) => string) => async () => {
    const orders = await made(1_000);
    return enquire(
      shop,
      orders.map((order) => ({ [name]: idOf(order) })),
    );
  };
  return [
    { what: 'floor: bare Fastify', served: floor, prepare: () => createOrders(shop) },
    { what: 'create order', served: service, prepare: () => createOrders(shop) },
    {
      what: 'enquiry by order id',
      served: service,
      prepare: asked('order_id', ({ orderId }) => orderId),
    },
    {
      what: 'enquiry by invoice id',
      served: service,
      prepare: asked('invoice_id', ({ invoiceId }) => invoiceId),
    },
    {
      what: 'enquiry by transaction id',
      served: service,
      prepare: async () => enquire(shop, await listTransactionIds(database, shop)),
    },
    {
      what: 'partner webhook',
      served: service,
      prepare: async () => partnerWebhooks(shop, await made(12_000)),
    },
    {
      what: 'bank gateway webhook',
      served: service,
      prepare: async () => gatewayWebhooks(shop, await made(12_000)),
    },
    { what: 'mixed', served: service, prepare: async () => mixed(shop, await made(12_000)) },
  ];
}

/** Of payments that came by webhook before; the first time there are none, and nothing is found. */
async function listTransactionIds(database: Database, { accountId }: Shop) {
  const { rows } = await database.query<{ transaction_id: string }>({
    text: 'select transaction_id from transactions where account_id = $1 limit 1000',
    values: [accountId],
  });
  return rows.length === 0 ? [{ transaction_id: 'none' }] : rows;
}

async function measureWorkers(dataDir: string, floor: Program): Promise<number> {
  const measureWith = async (workers: number) => {
    const service = await startService(dataDir, { workers });
    try {
      const shop = await openShop(service.url, dataDir);
      const options = { connections: connectionsOfRatios, seconds };
      const found: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        found.push((await measure(service, createOrders(shop), options)).perSecond);
      }
      return middleNumber(found);
    } finally {
      await service.stop();
    }
  };
  await floor.stop();
  return (await measureWith(2)) / (await measureWith(1));
}

async function report(
  rows: readonly Row[],
  others: { readonly inserts: number } & Pick<Ratios, 'hanging' | 'workers'>,
): Promise<void> {
  const text = reportOf(rows, { ...others, connections: connectionsOfRatios });
  console.log(text);
  const folder = new URL('./', import.meta.url);
  await writeFile(new URL('RESULTS.md', folder), text);
  await writeFile(new URL('throughput.svg', folder), plotOf(rows));
}

/** By throughput; the others of the same run go with it. */
function middle(all: readonly Measured[]): Measured {
  const sorted = all.toSorted((a, b) => a.perSecond - b.perSecond);
  const found = sorted[Math.floor(sorted.length / 2)];
  if (!found) throw new Error('nothing was measured');
  return found;
}

function middleNumber(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
}
