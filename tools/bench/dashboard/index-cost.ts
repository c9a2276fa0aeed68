/**
 * What the indexes for search cost create order: the CPU and the throughput with and without them, in turn. Consumers
 * are random, so that entries go to random places of an index, as in reality.
 */
import { randomInt } from 'node:crypto';
import type { Database } from '../../../src/postgres/database.ts';
import { type Cost, combineCosts, measureLoad } from '../growth/cost.ts';
import type { NextRequest, Served } from '../load.ts';
import { createOrders } from '../requests.ts';
import type { Shop } from '../shop.ts';

const indexes = ['orders_of_consumer', 'history_by_time'];

export async function measureIndexCost(
  served: Served,
  database: Database,
  shop: Shop,
  rounds: number,
) {
  const { rows } = await database.query<{ text: string }>({
    text: `select pg_get_indexdef(indexrelid) as text from pg_index
            where indexrelid::regclass::text = any($1::text[])`,
    values: [indexes],
  });
  const create = () =>
    change(
      database,
      rows.map(({ text }) => text),
    );
  const drop = () =>
    change(
      database,
      indexes.map((name) => `drop index ${name}`),
    );
  const next = randomConsumers(createOrders(shop));
  const costs = { with: [] as Cost[], without: [] as Cost[] };
  await drop();
  for (let round = 0; round < rounds; round += 1) {
    await create();
    // Writing the new index to disk is not part of the cost, so the first load after it is not measured.
    await measureLoad(served, next);
    costs.with.push(await measureLoad(served, next));
    await drop();
    await measureLoad(served, next);
    costs.without.push(await measureLoad(served, next));
  }
  await create();
  /** Of the throughput, for each pair of loads. */
  const ratios = costs.with.map((cost, at) => cost.perSecond / (costs.without[at]?.perSecond ?? 1));
  return {
    with: combineCosts(costs.with),
    without: combineCosts(costs.without),
    ratios,
  };
}

function randomConsumers(next: NextRequest): NextRequest {
  return () => {
    const request = next();
    const number = randomInt(1_000_000_000);
    const body = request.body
      .replace('asha@example.com', `consumer${number}@example.com`)
      .replace('9876543210', String(9_000_000_000 + number));
    return { ...request, body };
  };
}

async function change(database: Database, texts: readonly string[]): Promise<void> {
  await database.pipelined(async (connection) => {
    await connection.query({ text: 'set statement_timeout = 0' });
    for (const text of texts) await connection.query({ text, query_timeout: 3_600_000 });
    await connection.query({ text: 'reset statement_timeout' });
  });
}
