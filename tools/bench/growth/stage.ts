/** A service with a database of its own that is filled first, and the shops that the load is sent for. */
import type { Database } from '../../../src/postgres/database.ts';
import { fillOrders } from '../fill-orders.ts';
import { makeOrders, partnerWebhooks } from '../requests.ts';
import { openShop, type Shop, signIn } from '../shop.ts';
import { type Program, withDataDir, withService } from '../stage.ts';

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

/** `fill` returns the shops that the load is sent for. */
export async function withStage(
  what: string,
  fill: (stage: Stage) => Promise<readonly Shop[]>,
  use: (stage: Stage) => Promise<void>,
): Promise<void> {
  await withDataDir(async (dataDir) => {
    // Stopping the service flushes everything to disk, so that the flush is not part of the measurement.
    const shops = await withService(dataDir, async (service, database) => {
      const startedAt = performance.now();
      const shop = await openShop(service.url, dataDir);
      const filled = await fill({ dataDir, service, database, shops: [shop] });
      const seconds = (performance.now() - startedAt) / 1_000;
      const gigabytes = (await sizeOf(database)) / 1e9;
      console.log(`${what}: ${gigabytes.toFixed(2)} GB filled in ${seconds.toFixed(0)} s`);
      return filled;
    });
    await withService(dataDir, async (service, database) => {
      const signedIn: Shop[] = [];
      for (const shop of shops) signedIn.push(await signIn(service.url, shop));
      await use({ dataDir, service, database, shops: signedIn });
    });
  });
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
): Promise<readonly Shop[]> {
  const { service, database } = stage;
  const shop = shopOf(stage);
  const paid = await makeOrders(database, service.url, shop, 1);
  const { path, headers, body } = partnerWebhooks(shop, paid)();
  const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body });
  await answer.body?.cancel();
  const options = accountIds && { accountIds };
  await fillOrders(database, shop.accountId, paid[0]?.orderId ?? '', count, options);
  return stage.shops;
}
