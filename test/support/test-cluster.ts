/**
 * A PostgreSQL cluster for tests, set up like that of the first release: everybody who can reach the socket is
 * superuser. Tests create databases and roles there, which the service itself may not do.
 */
import { chmod, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type SuperuserAddress,
  startTrustingServer,
  superuserAddress,
  type TrustingServer,
} from '../../tools/harness/trusting-server.ts';

export async function startTestCluster(): Promise<TrustingServer> {
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

/** Allows superuser logins to the embedded database of a running service until the next start. */
export async function letSuperuserIn(dataDir: string): Promise<SuperuserAddress> {
  const directory = join(dataDir, 'postgres');
  const rules = join(directory, 'pg_hba.conf');
  await writeFile(rules, `local all postgres trust\n${await readFile(rules, 'utf8')}`);
  const [pid] = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGHUP');
  return superuserAddress(join(dataDir, 'socket'));
}
