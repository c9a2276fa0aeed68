/**
 * The embedded database: a real PostgreSQL of our own under the data folder. Started with the
 * service, started again if it dies, ended with the service; whatever a killed service or a lost
 * machine left behind is put right at the next start. The caller holds the lock on the folder.
 */
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../../domain/start-error.ts';
import type { DatabaseAddress } from '../database.ts';
import { explainFolderTrouble, explainingTrouble } from './data-folder.ts';
import { isAccessSet, serviceAddress, setAccess } from './database-access.ts';
import { findDatabaseFolder, settleDatabaseFolder } from './database-folder.ts';
import { endLeftoverServer } from './leftover-server.ts';
import { reachablePrograms } from './machine-folder.ts';
import {
  findPrograms,
  initialiseCluster,
  isListening,
  type Programs,
  type Server,
  startServer,
  WrongPassword,
  waitUntilReady,
} from './postgres-process.ts';
import { giveTo, type ServerUser } from './server-user.ts';

export type EmbeddedDatabase = {
  readonly address: DatabaseAddress;
  /** Finishes what runs, writes everything down, ends the server. */
  readonly stop: () => Promise<void>;
};

type Log = { readonly warn: (line: string) => void };

const stopMsMax = 5_000;
const leftoverMsMax = 10_000;
const restartMsMax = 1_000;

export async function startEmbeddedDatabase(dataDir: string, log: Log): Promise<EmbeddedDatabase> {
  const installed = await findPrograms().catch(() => {
    throw new StartError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own.`,
    );
  });
  const { directory, user } = await explainingTrouble(dataDir, () =>
    settleDatabaseFolder(dataDir, log.warn),
  );
  const programs = await reachablePrograms(installed, user);
  const socketDir = socketDirOf(directory);
  const cluster = { programs, user, dataDir, directory };
  const start = async () => {
    const address = await serviceAddress(dataDir, socketDir);
    const launch = () => startServer(programs, user, directory, socketDir, log.warn);
    return untilReleased(() => launchServer(launch, address));
  };
  const set = () => untilReleased(() => setAccess(cluster));

  let server = await (async () => {
    await initialiseOnce(programs, user, directory);
    if (socketDir !== directory) await makeSocketDir(user, socketDir);
    await endLeftoverServer(directory, socketDir);
    if (!(await isAccessSet(cluster))) await set();
    return start().catch(async (error: unknown) => {
      if (!(error instanceof WrongPassword)) throw error;
      log.warn('the database has another password than its file, and is given a new one');
      await set();
      return start();
    });
  })().catch((error: unknown) => {
    throw explainFolderTrouble(dataDir, error) ?? startErrorOf(dataDir, error);
  });
  let stopping = false;

  /** A server that was killed comes back by itself; meanwhile the service answers 503. */
  const supervise = async () => {
    for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, restartMsMax)) {
      await server.ended;
      if (stopping) return;
      log.warn(`the database server ended and is started again: ${server.lastWords()}`);
      await endLeftoverServer(directory, socketDir);
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

/** The socket is in the database's own folder, which is closed to others. */
function socketDirOf(directory: string): string {
  // A socket's path may have some 100 bytes; a folder that is deeper gets a short one instead.
  const pathBytesMax = 80;
  if (Buffer.byteLength(directory) <= pathBytesMax) return directory;
  const digest = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return join(tmpdir(), `payment-order-service-${digest}`);
}

async function makeSocketDir(user: ServerUser, socketDir: string): Promise<void> {
  await mkdir(socketDir, { recursive: true, mode: 0o700 });
  // Somebody else may have been here first, with a folder of their own or a link to one.
  const found = await lstat(socketDir);
  const isOurs = found.uid === process.getuid?.() || found.uid === user.ids?.uid;
  if (!found.isDirectory() || !isOurs) {
    throw new StartError(
      `The folder ${socketDir} belongs to another user: remove it and start again.`,
    );
  }
  await chmod(socketDir, 0o700);
  await giveTo(user, socketDir);
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
  await mkdir(aside, { mode: 0o700 });
  await giveTo(user, aside);
  await initialiseCluster(programs, user, aside);
  await rename(aside, directory);
}

async function launchServer(launch: () => Server, address: DatabaseAddress): Promise<Server> {
  const server = launch();
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
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(server.pid, name);
    } catch {
      // It has ended already.
    }
  };
  signal('SIGINT');
  const slow = setTimeout(() => signal('SIGQUIT'), stopMsMax / 2);
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
