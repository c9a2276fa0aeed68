/**
 * A PostgreSQL cluster for tests, set up like that of the first release: everybody who can reach the socket is
 * superuser. Tests create databases and roles there, which the service itself may not do.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeOwnFolder } from '../../src/embedded-postgres/durable-file.ts';
import { reachablePrograms } from '../../src/embedded-postgres/machine-folder.ts';
import {
  findPrograms,
  initialiseCluster,
  waitUntilReady,
} from '../../src/embedded-postgres/postgres-process.ts';
import { launchKeeper } from '../../src/embedded-postgres/server-keeper.ts';
import { chooseServerUser } from '../../src/embedded-postgres/server-user.ts';

export type SuperuserAddress = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
};

export type TestCluster = {
  readonly address: SuperuserAddress;
  readonly stop: () => Promise<void>;
};

export const trustEverybody = 'local all all trust\n';

export async function startTestCluster(): Promise<TestCluster> {
  const folder = await mkdtemp(join(await chooseParent(), 'pos-test-'));
  // The server may run as another user.
  await chmod(folder, 0o711);
  const directory = join(folder, 'postgres');
  const { address, stop } = await startTrustingServer(directory);
  return {
    address,
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Where Linux keeps files in memory. */
const memoryFolder = '/dev/shm';
/** A whole run uses less than a quarter of it. */
const memoryBytesMin = 4 * 2 ** 30;

/**
 * In memory where there is plenty, because every test file creates and drops a database of hundreds of files, which costs
 * a disk's file system more CPU than the server itself.
 */
async function chooseParent(): Promise<string> {
  const memory = await statfs(memoryFolder).catch(() => undefined);
  const isRoomy = memory !== undefined && memory.bavail * memory.bsize >= memoryBytesMin;
  return isRoomy ? memoryFolder : tmpdir();
}

/**
 * Creates a cluster in a new folder and starts its server. Tests cause hundreds of FATAL lines on
 * purpose, so the server's log goes to a file, which is printed when the server ends before it is stopped.
 */
export async function startTrustingServer(directory: string): Promise<TestCluster> {
  const user = await chooseServerUser(dirname(directory), directory);
  await makeOwnFolder(directory, { owner: user.ids, mode: 0o700 });
  const programs = await reachablePrograms(await findPrograms(), user);
  await initialiseCluster(programs, user, directory);
  await writeFile(join(directory, 'pg_hba.conf'), trustEverybody);
  const paths = { directory, socketDir: directory, socketMode: '0700' };
  const logFile = join(directory, 'server.log');
  await writeFile(logFile, '');
  const keeper = launchKeeper(programs, user, paths, (line) =>
    appendFileSync(logFile, `${line}\n`),
  );
  const server = await keeper.start();
  let isStopping = false;
  void server.ended.then(() => {
    keeper.close();
    if (!isStopping) console.error(readFileSync(logFile, 'utf8'));
  });
  const address = superuserAddress(directory);
  await waitUntilReady(server, address);
  return {
    address,
    stop: async () => {
      isStopping = true;
      server.signal('INT');
      await server.ended;
    },
  };
}

export function superuserAddress(socketDir: string): SuperuserAddress {
  return { host: socketDir, port: 5432, user: 'postgres', database: 'postgres' };
}

/** Allows superuser logins to the embedded database of a running service until the next start. */
export async function letSuperuserIn(dataDir: string): Promise<SuperuserAddress> {
  const directory = join(dataDir, 'postgres');
  const rules = join(directory, 'pg_hba.conf');
  await writeFile(rules, `local all postgres trust\n${await readFile(rules, 'utf8')}`);
  const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGHUP');
  return superuserAddress(join(dataDir, 'socket'));
}
