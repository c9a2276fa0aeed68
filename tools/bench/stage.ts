/** Starts the service as `npm start` does, and the floor server; both are stopped and cleaned up afterwards. */
import packageFile from '../../package.json' with { type: 'json' };
import {
  embeddedAddress,
  startEmbeddedDatabase,
} from '../../src/embedded-postgres/embedded-database.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { readConfig } from '../../src/process/config.ts';
import { chooseServiceUser } from '../../src/process/service-user.ts';
import { findServerPid } from '../harness/server-pid.ts';
import { type Service, startService as startProcess } from '../harness/service.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import type { Served } from './load.ts';

const start = readStartScript(packageFile.scripts.start);

/** No limit of time: a large database may take long to start, and whoever runs the bench can stop it. */
const options = { showErrors: true, readySecondsMax: Infinity };

export type Program = Served & { readonly stop: () => Promise<void> };

export async function startFloor(): Promise<Program> {
  const command = [process.execPath, 'tools/bench/floor-server.ts'] as const;
  return toProgram(await startProcess({}, { command, ...options }));
}

export async function startService(dataDir: string, { workers = 1 } = {}): Promise<Program> {
  const service = await startProcess(
    { ...start.env, DATA_DIR: dataDir, WORKERS: String(workers), LOG_LEVEL: 'warn' },
    { command: [process.execPath, ...start.words], ...options },
  );
  const databasePid = await findServerPid(dataDir);
  return { ...toProgram(service), ...(databasePid !== undefined && { databasePid }) };
}

export async function withDataDir<Result>(
  use: (dataDir: string) => Promise<Result>,
): Promise<Result> {
  const folder = await makeTemporaryFolder('payment-order-service-bench-');
  try {
    return await use(folder.path);
  } finally {
    await folder.remove();
  }
}

/** Runs the service and a connection to its database for as long as they are used. */
export async function withService<Result>(
  dataDir: string,
  use: (service: Program, database: Database) => Promise<Result>,
): Promise<Result> {
  const service = await startService(dataDir);
  const database = await openStageDatabase(dataDir);
  try {
    return await use(service, database);
  } finally {
    await database.close();
    await service.stop();
  }
}

/** Runs the database server of a service that is stopped, so that no background work meets tables without indexes. */
export async function withDatabaseAlone(
  dataDir: string,
  use: (database: Database) => Promise<void>,
): Promise<void> {
  const user = await chooseServiceUser(readConfig({ DATA_DIR: dataDir }));
  const server = await startEmbeddedDatabase(dataDir, { warn: console.error }, user?.ids);
  // Without the planner switches of requests: some copies need a hash join.
  const database = openDatabase(server.address, { purpose: 'maintenance' });
  try {
    await use(database);
  } finally {
    await database.close();
    await server.stop();
  }
}

export async function openStageDatabase(dataDir: string) {
  return openDatabase(await embeddedAddress(dataDir));
}

/** The environment and the arguments of Node in a `start` script. */
export function readStartScript(script: string) {
  const [settings = '', words = ''] = script.split(' node ');
  const env: Record<string, string> = Object.fromEntries(
    settings.split(' ').flatMap((word) => (word.includes('=') ? [word.split('=')] : [])),
  );
  return { env, words: words.split(' ') };
}

function toProgram({ baseUrl, pid, end }: Service): Program {
  return {
    url: baseUrl,
    pid,
    stop: async () => {
      await end('SIGTERM');
    },
  };
}
