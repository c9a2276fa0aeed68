/**
 * A running service with a shop that has a past. The past is lived in this process, on the database of the service; then
 * the service starts as a process of its own, and the simulator of the past goes on with it.
 */
import { createClient } from '../../../client/client.js';
import { openServiceShops } from '../../../simulator/service-shops.ts';
import { embeddedAddress } from '../../../src/embedded-postgres/embedded-database.ts';
import { readMasterKeys } from '../../../src/embedded-postgres/master-key-file.ts';
import { openDatabase } from '../../../src/postgres/database.ts';
import { bootstrap } from '../../../src/process/bootstrap.ts';
import { readConfig } from '../../../src/process/config.ts';
import { createLog } from '../../../src/process/log.ts';
import { type Closers, createClosers } from '../../harness/closers.ts';
import { runJsonCommand } from '../../harness/command-line.ts';
import { findFreePort } from '../../harness/free-port.ts';
import { startService } from '../../harness/service.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';
import type { Stage } from '../stage.ts';
import { type FilledShop, type FillOptions, fillShop } from './fill-shop.ts';
import { type OpenPast, openPast } from './open-past.ts';

export type FilledStageOptions = Omit<FillOptions, 'until'> & {
  /** Called first, so that the caller can clean up whatever happens. */
  readonly onOpened?: (close: () => Promise<void>) => void;
};

type Environment = Readonly<Record<'PORT' | 'DATA_DIR' | 'SIMULATOR_URL' | 'LOG_LEVEL', string>>;

const dayMs = 24 * 3_600_000;

export async function setFilledStage(options: FilledStageOptions): Promise<Stage> {
  const closers = createClosers();
  options.onOpened?.(closers.closeAll);
  try {
    const folder = await makeTemporaryFolder('payment-order-service-demo-');
    closers.add(folder.remove);
    const env = {
      PORT: String(await findFreePort()),
      DATA_DIR: folder.path,
      SIMULATOR_URL: `http://127.0.0.1:${await findFreePort()}`,
      LOG_LEVEL: 'error',
    };
    const { past, shop } = await livePast(env, options, closers);
    const service = await startService(env, { showErrors: true, readySecondsMax: Infinity });
    closers.add(() => service.end('SIGTERM'));
    const { baseUrl } = service;
    const { accountId, accessKey, accessSecret } = shop;
    return {
      baseUrl,
      accountId,
      simulator: past.simulator,
      client: createClient({ baseUrl, accessKey, accessSecret }),
      cli: (...words) => runJsonCommand(words, env),
      close: closers.closeAll,
    };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

/** Afterwards the database is closed, and nothing of the past is open but the simulator and the warehouse. */
async function livePast(
  env: Environment,
  options: FilledStageOptions,
  closers: Closers,
): Promise<{ readonly past: OpenPast; readonly shop: FilledShop }> {
  const until = new Date();
  const config = readConfig(env);
  const prepared = await bootstrap(config, createLog('error'), new AbortController().signal);
  const closeDatabase = closers.add(prepared.close);
  const [masterKeyHex = ''] = await readMasterKeys(config.dataDir);
  const database = openDatabase(await embeddedAddress(config.dataDir));
  const closeConnections = closers.add(database.close);
  const past = await openPast({
    database,
    masterKeyHex,
    seed: options.seed,
    port: config.port,
    simulatorPort: Number(new URL(env.SIMULATOR_URL).port),
    startsAt: new Date(until.getTime() - options.days * dayMs),
  });
  closers.add(past.simulator.close);
  const shops = openServiceShops(env);
  closers.add(shops.close);
  const endPast = closers.add(() => past.endPast(shops.find));
  const shop = await fillShop(past, { ...options, until });
  closers.add(shop.close);
  await endPast();
  await closeConnections();
  await closeDatabase();
  return { past, shop };
}
