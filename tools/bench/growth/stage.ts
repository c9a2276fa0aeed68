/** A service with a database of its own that is filled first, and the shops that the load is sent for. */
import { createReadStream, globSync } from 'node:fs';
import { findDatabaseFolder } from '../../../src/embedded-postgres/database-folder.ts';
import type { Database } from '../../../src/postgres/database.ts';
import { send } from '../../harness/send.ts';
import { fillOrders } from '../fill-orders.ts';
import { makeOrders, partnerWebhooks } from '../requests.ts';
import { openShop, type Shop, signIn } from '../shop.ts';
import { type Program, withDatabaseAlone, withDataDir, withService } from '../stage.ts';

export type Stage = {
  readonly dataDir: string;
  readonly service: Program;
  readonly database: Database;
  readonly shops: readonly Shop[];
};

/** The one shop of a stage that has one. */
export function shopOf({ shops: [shop] }: Pick<Stage, 'shops'>): Shop {
  if (!shop) throw new Error('the stage has no shop');
  return shop;
}

type Filling = {
  /** The shops that the load is sent for. */
  readonly shops: readonly Shop[];
  /** Writes many rows at once, while the service is stopped. */
  readonly copy?: (database: Database) => Promise<void>;
};

/** `fill` makes over HTTP what is then copied. */
export async function withStage(
  what: string,
  fill: (stage: Stage) => Promise<Filling>,
  use: (stage: Stage) => Promise<void>,
): Promise<void> {
  await withDataDir(async (dataDir) => {
    const startedAt = performance.now();
    const { shops, copy } = await withService(dataDir, async (service, database) => {
      const shop = await openShop(service.url, dataDir);
      return fill({ dataDir, service, database, shops: [shop] });
    });
    // Stopping the server flushes everything to disk, so that the flush is not part of the measurement.
    await withDatabaseAlone(dataDir, async (database) => {
      await copy?.(database);
      const seconds = (performance.now() - startedAt) / 1_000;
      const gigabytes = (await sizeOf(database)) / 1e9;
      console.log(`${what}: ${gigabytes.toFixed(2)} GB filled in ${seconds.toFixed(0)} s`);
    });
    await withService(dataDir, async (service, database) => {
      const signedIn: Shop[] = [];
      for (const shop of shops) signedIn.push(await signIn(service.url, shop));
      await use({ dataDir, service, database, shops: signedIn });
    });
  });
}

/**
 * Reads all indexes once. A service that has run for a while has them in memory; right after the start, the first
 * requests of a large database would wait for the disk.
 */
export async function warmIndexes({ dataDir, database }: Stage): Promise<void> {
  const { rows } = await database.query<{ path: string }>({
    text: `select pg_relation_filepath(indexrelid) as path from pg_stat_user_indexes
            where schemaname = current_schema()`,
  });
  const folder = await findDatabaseFolder(dataDir);
  // Relations above 1 GB have several files.
  const files = rows.flatMap(({ path }) => globSync(`${folder}/${path}{,.*}`));
  for (const file of files) {
    for await (const _chunk of createReadStream(file, { highWaterMark: 1 << 20 }));
  }
}

async function sizeOf(database: Database): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>({
    text: 'select pg_database_size(current_database())::float8 as bytes',
  });
  return rows[0]?.bytes ?? 0;
}

/** Fills in copies of an order that was paid over HTTP, in one account or spread over several. */
export async function fillPaidOrders(
  stage: Stage,
  count: number,
  accountIds?: readonly string[],
): Promise<Filling> {
  const { service, database } = stage;
  const shop = shopOf(stage);
  const paid = await makeOrders(database, service.url, shop, 1);
  const answer = await send(service.url, partnerWebhooks(shop, paid)());
  await answer.body?.cancel();
  const options = accountIds && { accountIds };
  return {
    shops: stage.shops,
    copy: (database) =>
      fillOrders(database, shop.accountId, paid[0]?.orderId ?? '', count, options),
  };
}
