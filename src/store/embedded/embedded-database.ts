/**
 * The embedded database: a real PostgreSQL of our own under the data folder. Started with the
 * service, started again if it dies, ended with the service; whatever a killed service or a lost
 * machine left behind is put right at the next start. The caller holds the lock on the folder.
 */
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../../domain/start-error.ts';
import type { DatabaseAddress } from '../database.ts';
import { explainFolderTrouble } from './data-folder.ts';
import {
  addressOf,
  findPrograms,
  initialiseCluster,
  isListening,
  type Programs,
  type Server,
  socketFiles,
  startServer,
  waitUntilReady,
} from './postgres-process.ts';
import { chooseServerUser, giveTo, type ServerUser } from './server-user.ts';

export type EmbeddedDatabase = {
  readonly address: DatabaseAddress;
  /** Finishes what runs, writes everything down, ends the server. */
  readonly stop: () => Promise<void>;
};

type Log = { readonly warn: (line: string) => void };

const stopMsMax = 5_000;
const leftoverMsMax = 10_000;
const lastMomentMsMax = 500;
const restartMsMax = 1_000;

export async function startEmbeddedDatabase(dataDir: string, log: Log): Promise<EmbeddedDatabase> {
  const directory = databaseDir(dataDir);
  const socketDir = socketDirOf(dataDir);
  const programs = await findPrograms().catch(() => {
    throw new StartError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own.`,
    );
  });
  const user = await chooseServerUser(directory, [directory, programs.postgres]);
  const start = () => launchServer(programs, user, directory, socketDir, log);

  let server = await (async () => {
    await initialiseOnce(programs, user, directory);
    if (socketDir !== directory) await makeSocketDir(user, socketDir);
    await endLeftoverServer(directory, socketDir);
    return start();
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
    address: addressOf(socketDir),
    stop: async () => {
      stopping = true;
      await endServer(server);
    },
  };
}

/** Where a running embedded database of this folder is reached; used by workers and command line. */
export function embeddedAddress(dataDir: string): DatabaseAddress {
  return addressOf(socketDirOf(dataDir));
}

export function isEmbeddedDatabaseRunning(dataDir: string): Promise<boolean> {
  return isListening(socketDirOf(dataDir));
}

function databaseDir(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/** The socket is in the database's own folder, which is closed to others. */
function socketDirOf(dataDir: string): string {
  // A socket's path may have some 100 bytes; a folder that is deeper gets a short one instead.
  const pathBytesMax = 80;
  const directory = databaseDir(dataDir);
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

async function launchServer(
  programs: Programs,
  user: ServerUser,
  directory: string,
  socketDir: string,
  log: Log,
): Promise<Server> {
  const deadline = Date.now() + leftoverMsMax;
  for (;;) {
    const server = startServer(programs, user, directory, socketDir, (line) => log.warn(line));
    try {
      await waitUntilReady(server, socketDir);
      return server;
    } catch (error) {
      // Processes of a killed server see its end within moments and then let go of the data.
      const heldByLeftovers = /shared memory block|postmaster\.pid/.test(String(error));
      if (!heldByLeftovers || Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}

/**
 * The lock on the folder is ours, so a server on this data was left behind by a service that was
 * killed. One that listens is ended in good order, which it shows by removing its
 * `postmaster.pid`. One that does not is gone, and the file is stale even where its number names
 * a process: a zombie that nobody collects, or a stranger.
 */
async function endLeftoverServer(directory: string, socketDir: string): Promise<void> {
  const pidFile = join(directory, 'postmaster.pid');
  const readPid = async () =>
    Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  const pid = await readPid();
  const isGone = async () => (await readPid()) !== pid || !(await isAlive(pid));
  if (pid && (await isListening(socketDir))) {
    process.kill(pid, 'SIGINT');
    if (!(await waitFor(isGone, stopMsMax))) {
      process.kill(pid, 'SIGQUIT');
      await waitFor(isGone, stopMsMax);
    }
  } else if (pid) {
    // It may be just about to end: the socket goes first, the file last.
    await waitFor(isGone, lastMomentMsMax);
  }
  // Whatever a killed server left would make the next one believe that it still runs.
  for (const stale of [pidFile, ...socketFiles(socketDir)]) await rm(stale, { force: true });
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const isZombie = status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
  return !isZombie;
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

async function waitFor(isSo: () => Promise<boolean>, msMax: number): Promise<boolean> {
  const deadline = Date.now() + msMax;
  while (!(await isSo())) {
    if (Date.now() > deadline) return false;
    await delay(10);
  }
  return true;
}

function startErrorOf(dataDir: string, error: unknown): StartError {
  if (/spawn setpriv ENOENT/.test(String(error))) {
    return new StartError(
      `Started as root in a folder closed to other users, the embedded database needs the program setpriv: install util-linux, move the checkout, or start as another user.`,
    );
  }
  if (error instanceof StartError) return error;
  return new StartError(
    `The embedded database in ${dataDir} does not start: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
}
