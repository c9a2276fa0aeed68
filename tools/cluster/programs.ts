/** The programs of a cluster, which this project does not contain, and the user that they run as. */
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseServerUser } from '../../src/embedded-postgres/server-user.ts';
import { runProgram } from '../harness/command-line.ts';
import { findProgram } from '../harness/find-program.ts';

export type Programs = Readonly<Record<'etcd' | 'patroni' | 'patronictl' | 'haproxy', string>> & {
  /** The folder with `postgres`, `initdb` and `pg_rewind`. */
  readonly postgresFolder: string;
  /** The API of etcd that Patroni may use: `etcd` is v2. */
  readonly etcdInterface: EtcdInterface;
};

type EtcdInterface = 'etcd' | 'etcd3';

export type User = { readonly uid: number; readonly gid: number } | undefined;

/** Where Debian has the versions of PostgreSQL, each in a folder with its number. */
const debianFolder = '/usr/lib/postgresql';

/** Undefined if something is missing: the caller says what to install. */
export async function findPrograms(): Promise<Programs | undefined> {
  const [etcd, patroni, patronictl, haproxy] = ['etcd', 'patroni', 'patronictl', 'haproxy'].map(
    findProgram,
  );
  const postgresFolder = await findPostgresFolder();
  if (!etcd || !patroni || !patronictl || !haproxy || !postgresFolder) return undefined;
  const etcdInterface = await chooseInterface(patroni);
  return { etcd, patroni, patronictl, haproxy, postgresFolder, etcdInterface };
}

/**
 * Before release 3.0.3, a leader that was frozen overwrites the lock of its successor in etcd's v3 API, and
 * everything that the successor has acknowledged is lost. With v2 it checks whose lock it is.
 */
async function chooseInterface(patroni: string): Promise<EtcdInterface> {
  const { stdout } = await runProgram([patroni, '--version'], {});
  const [major = 0, minor = 0, patch = 0] = (stdout.match(/\d+/g) ?? []).map(Number);
  return major * 1e6 + minor * 1e3 + patch < 3_000_003 ? 'etcd' : 'etcd3';
}

export const missingPrograms =
  'This run needs etcd, Patroni, HAProxy and PostgreSQL: install the Debian packages etcd-server, patroni, haproxy and postgresql.';

/** The folder of the newest PostgreSQL, if it has the Citus extension. */
export async function findCitusFolder(): Promise<string | undefined> {
  const folder = await findPostgresFolder();
  if (folder === undefined) return undefined;
  const { stdout } = await runProgram([join(folder, 'pg_config'), '--sharedir'], {});
  const control = join(stdout.trim(), 'extension', 'citus.control');
  return (await findFirst([control])) && folder;
}

export const missingCitus =
  'This run needs PostgreSQL with the Citus extension: install both, or build the extension from its public sources.';

/** PostgreSQL refuses to run as root. */
export async function chooseUser(folder: string): Promise<User> {
  return (await chooseServerUser(folder, folder)).ids;
}

export async function findPostgresFolder(): Promise<string | undefined> {
  const versions = (await readdir(debianFolder).catch(() => [])).sort(
    (one, other) => Number(other) - Number(one),
  );
  const folders = versions.map((version) => join(debianFolder, version, 'bin'));
  const found = await findFirst(folders.map((folder) => join(folder, 'postgres')));
  return found === undefined ? undefined : join(found, '..');
}

async function findFirst(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    if (await access(path).then(yes, no)) return path;
  }
  return undefined;
}

const yes = () => true;
const no = () => false;
