/**
 * The embedded database: a real PostgreSQL of our own under the data folder. Started with the
 * service, started again if it dies, ended with the service; whatever a killed service or a lost
 * machine left behind is put right at the next start. The caller holds the lock on the folder.
 */
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../domain/start-error.ts';
import type { DatabaseAddress } from '../postgres/database.ts';
import { explainFolderError, explainingErrors } from './data-folder.ts';
import { isAccessSet, serviceAddress, setAccess } from './database-access.ts';
import { findDatabaseFolder, handOver, settleDatabaseFolder } from './database-folder.ts';
import { type Ids, makeOwnFolder } from './durable-file.ts';
import { endLeftoverServer } from './leftover-server.ts';
import { reachablePrograms } from './machine-folder.ts';
import {
  findPrograms,
  initialiseCluster,
  isListening,
  type Programs,
  WrongPassword,
  waitUntilReady,
} from './postgres-process.ts';
import { type Keeper, launchKeeper, type Server } from './server-keeper.ts';
import type { ServerUser } from './server-user.ts';
import { makeSocketFolder, socketDirOf } from './socket-folder.ts';

export type EmbeddedDatabase = {
  readonly address: DatabaseAddress;
  /** Finishes what runs, writes everything down, ends the server. */
  readonly stop: () => Promise<void>;
};

type Log = { readonly warn: (line: string) => void };

const stopMsMax = 5_000;
const leftoverMsMax = 10_000;
const restartMsMax = 1_000;

/** `service` is the user that this process becomes, where that is not who it is. */
export async function startEmbeddedDatabase(
  dataDir: string,
  log: Log,
  service?: Ids,
): Promise<EmbeddedDatabase> {
  const installed = await findPrograms().catch(() => {
    throw new StartError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own.`,
    );
  });
  const { directory, user } = await explainingErrors(dataDir, () =>
    settleDatabaseFolder(dataDir, log.warn),
  );
  const explaining = <Result>(work: () => Promise<Result>) =>
    work().catch((error: unknown) => {
      throw explainFolderError(dataDir, error) ?? startErrorOf(dataDir, error);
    });
  const programs = await explaining(() => reachablePrograms(installed, user));
  const socketDir = socketDirOf(directory);
  const cluster = { programs, user, dataDir, directory };
  const socketMode = await explaining(async () => {
    await initialiseOnce(programs, user, directory);
    return makeSocketFolder(socketDir, user, service);
  });
  const place = { directory, socketDir, socketMode };
  const launch = () => launchKeeper(programs, user, place, log.warn);
  let keeper = launch();
  const start = async () => {
    const address = await serviceAddress(dataDir, socketDir);
    return untilReleased(() => startServer(keeper, address));
  };
  const set = () => untilReleased(() => setAccess(cluster));

  let server = await explaining(async () => {
    await endLeftoverServer(place, keeper.signal);
    if (!(await isAccessSet(cluster))) await set();
    const started = await start().catch(async (error: unknown) => {
      if (!(error instanceof WrongPassword)) throw error;
      log.warn('the database has another password than its file, and is given a new one');
      await set();
      return start();
    });
    if (service) await handOver(dataDir, service);
    return started;
  }).catch((error: unknown) => {
    keeper.close();
    throw error;
  });
  let stopping = false;

  /** Whoever killed the keeper may have left the server, which then serves on; only its end has to be waited for. */
  const replaceKeeper = async () => {
    while (await isListening(socketDir)) await delay(restartMsMax);
    keeper = launch();
    await endLeftoverServer(place, keeper.signal);
  };

  /** A server that was killed comes back by itself; meanwhile the service answers 503. */
  const supervise = async () => {
    for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, restartMsMax)) {
      await server.ended;
      // Also of one that took another's place meanwhile.
      if (stopping) return keeper.close();
      log.warn(`the database server ended and is started again: ${server.lastWords()}`);
      if (keeper.isGone()) await replaceKeeper();
      server = await start().catch(async (error: unknown) => {
        log.warn(`the database server does not start: ${String(error)}`);
        await delay(waitMs);
        return server;
      });
      if (stopping) await endServer(server);
    }
  };
  void supervise();

  return {
    address: await serviceAddress(dataDir, socketDir),
    stop: async () => {
      stopping = true;
      await endServer(server);
      keeper.close();
    },
  };
}

/** Where a running embedded database of this folder is reached; used by workers and command line. */
export async function embeddedAddress(dataDir: string): Promise<DatabaseAddress> {
  return serviceAddress(dataDir, socketDirOf(await findDatabaseFolder(dataDir)));
}

export async function isEmbeddedDatabaseRunning(dataDir: string): Promise<boolean> {
  return isListening(socketDirOf(await findDatabaseFolder(dataDir)));
}

/** A cluster is made aside and then named: one that a crash left half made is never taken for whole. */
async function initialiseOnce(
  programs: Programs,
  user: ServerUser,
  directory: string,
): Promise<void> {
  const made = await stat(join(directory, 'PG_VERSION')).catch(() => undefined);
  if (made) return;
  const aside = `${directory}.new`;
  await rm(aside, { recursive: true, force: true });
  await makeOwnFolder(aside, { owner: user.ids, mode: 0o700 });
  await initialiseCluster(programs, user, aside);
  await rename(aside, directory);
}

async function startServer(keeper: Keeper, address: DatabaseAddress): Promise<Server> {
  const server = await keeper.start();
  try {
    await waitUntilReady(server, address);
    return server;
  } catch (error) {
    await endServer(server);
    throw error;
  }
}

/** Processes of a killed server see its end within moments and then let go of the data. */
async function untilReleased<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + leftoverMsMax;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isHeld = /shared memory block|postmaster\.pid/.test(String(error));
      if (!isHeld || Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}

async function endServer(server: Server): Promise<void> {
  server.signal('INT');
  const slow = setTimeout(() => server.signal('QUIT'), stopMsMax / 2);
  await server.ended;
  clearTimeout(slow);
}

function startErrorOf(dataDir: string, error: unknown): StartError {
  if (error instanceof StartError) return error;
  return new StartError(
    `The embedded database in ${dataDir} does not start: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
}
