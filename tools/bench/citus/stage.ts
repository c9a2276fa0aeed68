/** Two databases on the same server, one plain and one distributed, each with two service processes and its accounts. */
import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '../../../src/postgres/database.ts';
import { distributeTables } from '../../../src/store/upkeep/distribute.ts';
import { migrate } from '../../../src/store/upkeep/migrate.ts';
import {
  citusAddress,
  createCitusDatabase,
  dropEverywhere,
  withCitusDatabase,
} from '../../harness/citus.ts';
import { type Service, startService } from '../../harness/service.ts';
import { type Shop, signIn } from '../shop.ts';
import { createShops } from '../shops.ts';

export type Stage = {
  readonly what: 'PostgreSQL' | 'Citus';
  readonly database: Database;
  readonly services: readonly Service[];
  readonly shops: readonly Shop[];
  readonly close: () => Promise<void>;
};

/** What Citus uses unless told otherwise. */
const shards = 32;
const processes = 2;

export async function openStage(what: Stage['what'], accounts: number): Promise<Stage> {
  const name = `bench_${what.toLowerCase()}`;
  const address = { ...citusAddress(), database: name };
  await createDatabase(what, name);
  const masterKeyHex = randomBytes(32).toString('hex');
  const { host, port, user } = address;
  const env = {
    DATABASE_URL: `postgres://${user}@${host}:${port}/${name}`,
    MASTER_KEY: masterKeyHex,
    LOG_LEVEL: 'warn',
  };
  const services: Service[] = [];
  for (let count = 0; count < processes; count += 1) {
    services.push(await startService(env, { showErrors: true, readySecondsMax: 120 }));
  }
  const database = openDatabase(address, { purpose: 'maintenance' });
  const [{ baseUrl } = { baseUrl: '' }] = services;
  const shops: Shop[] = [];
  for (const shop of await createShops({ dataDir: '', database, masterKeyHex }, accounts)) {
    shops.push(await signIn(baseUrl, shop));
  }
  return {
    what,
    database,
    services,
    shops,
    close: async () => {
      await database.close();
      for (const service of services) await service.end('SIGTERM');
      await withCitusDatabase(citusAddress(), (coordinator) => dropEverywhere(coordinator, name));
    },
  };
}

async function createDatabase(what: Stage['what'], name: string): Promise<void> {
  await withCitusDatabase(citusAddress(), async (coordinator) => {
    await dropEverywhere(coordinator, name);
    if (what === 'Citus') await createCitusDatabase(coordinator, name, shards);
    else await coordinator.query({ text: `create database ${name}` });
  });
  await withCitusDatabase({ ...citusAddress(), database: name }, async (database) => {
    await migrate(database);
    if (what === 'Citus') await distributeTables(database);
  });
}
