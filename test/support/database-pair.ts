/**
 * Two real PostgreSQL servers: a leader that waits for its standby before it reports a commit, and that standby. The copy
 * is made by the functions for backups, because the package of the servers has no program for it.
 */
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type pg from 'pg';
import { makeOwnFolder } from '../../src/embedded-postgres/durable-file.ts';
import { reachablePrograms } from '../../src/embedded-postgres/machine-folder.ts';
import { findPrograms, initialiseCluster } from '../../src/embedded-postgres/postgres-process.ts';
import { chooseServerUser } from '../../src/embedded-postgres/server-user.ts';
import { familyOf, signalAll, withServer } from '../../tools/cluster/server-processes.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { assertRunning, type Launched, launch } from '../../tools/harness/launch.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';

export type PairedServer = ReturnType<typeof openServer>;

const accessRules = [
  'local all all trust',
  'host all all 127.0.0.1/32 trust',
  'host replication all 127.0.0.1/32 trust',
  '',
].join('\n');

export async function startDatabasePair() {
  const folder = await mkdtemp(join(tmpdir(), 'pos-pair-'));
  await chmod(folder, 0o711);
  const user = await chooseServerUser(folder, join(folder, 'one'));
  const programs = await reachablePrograms(await findPrograms(), user);
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  for (const directory of [one, two]) {
    await makeOwnFolder(directory, { owner: user.ids, mode: 0o700 });
  }
  const run = (words: readonly [string, ...string[]]) =>
    launch(words, {}, user.ids && { user: user.ids });
  const startServer = (directory: string, port: number) =>
    run([programs.postgres, '-D', directory, ...settingsOf(directory, port)]);
  const leader = openServer(one, await findFreePort(), startServer);
  const standby = openServer(two, await findFreePort(), startServer);
  after(async () => {
    await Promise.all([leader.kill(), standby.kill()]);
    await rm(folder, { recursive: true, force: true });
  });

  await initialiseCluster(programs, user, one);
  await writeOwned(one, 'pg_hba.conf', accessRules);
  await leader.start();
  await withServer(portOf(leader.host), 'postgres', async (client) => {
    await copyCluster(client, two, () => run(['cp', '-a', `${one}/.`, two]).exited);
    await standby.followOther(leader);
    await standby.start();
    await client.query(`alter system set synchronous_standby_names to 'paired'`);
    await client.query('select pg_reload_conf()');
    await waitUntil('the leader waits for its standby', async () => {
      const text = `select 1 from pg_stat_replication where sync_state = 'sync'`;
      return (await client.query(text)).rows.length === 1;
    });
  });
  const url = `postgres://postgres@${leader.host},${standby.host}/postgres`;
  return {
    leader,
    standby,
    /** Both servers in one URL. */
    url,
  };
}

function settingsOf(directory: string, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: directory,
    wal_keep_size: '256MB',
    shared_buffers: '32MB',
    // Both are on one machine, which does not lose its power.
    fsync: 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

type Start = (directory: string, port: number) => Launched;

function openServer(directory: string, port: number, startServer: Start) {
  let running: Launched | undefined;
  const host = `127.0.0.1:${port}`;
  // Each process of a server has a group of its own.
  const signal = async (name: NodeJS.Signals) => {
    if (!running || running.hasExited()) return;
    // A server that is stopped cannot start a process between the look and the signal. One that was left behind would
    // keep the output of the server open.
    signalAll([running.pid], 'SIGSTOP');
    signalAll(await familyOf(running.pid), name);
  };
  return {
    /** `127.0.0.1` and its port. */
    host,
    start: async () => {
      running = startServer(directory, port);
      const started = running;
      await waitUntil(`the server at ${host} accepts connections`, async () => {
        await assertRunning(started);
        return isServing(host);
      });
    },
    /** Like a machine that loses its power. */
    kill: async () => {
      await signal('SIGKILL');
      await running?.exited;
    },
    /** Like a machine or a network that hangs. */
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    /** What an operator does about commits that hang: they no longer wait for the standby. Resolves with their number. */
    cancelWaits: () =>
      withServer(portOf(host), 'postgres', async (client) => {
        const waiting = `from pg_stat_activity where wait_event = 'SyncRep'`;
        const { rowCount } = await client.query(`select pg_cancel_backend(pid) ${waiting}`);
        return rowCount ?? 0;
      }),
    /** A standby becomes the leader. */
    promote: () =>
      withServer(portOf(host), 'postgres', async (client) => {
        await client.query('select pg_promote(true, 30)');
      }),
    /** The next start is as a standby of the other server. */
    followOther: async (other: { readonly host: string }) => {
      const address = `host=127.0.0.1 port=${portOf(other.host)} user=postgres application_name=paired`;
      await writeOwned(directory, 'standby.signal', '');
      await writeOwned(directory, 'postgresql.auto.conf', `primary_conninfo = '${address}'\n`);
    },
  };
}

/** The copy misses what was written meanwhile; the standby gets that from the leader, from the start of the backup on. */
async function copyCluster(
  client: pg.Client,
  to: string,
  copy: () => Promise<unknown>,
): Promise<void> {
  await client.query(`select pg_backup_start('pair', true)`);
  await copy();
  const { rows } = await client.query<{ labelfile: string }>('select * from pg_backup_stop(false)');
  await writeOwned(to, 'backup_label', rows[0]?.labelfile ?? '');
  await rm(join(to, 'postmaster.pid'), { force: true });
}

/** For the user of the server, which may be another one than ours. */
async function writeOwned(directory: string, name: string, text: string): Promise<void> {
  const { uid, gid } = await stat(directory);
  await writeFile(join(directory, name), text);
  await chown(join(directory, name), uid, gid);
}

async function isServing(host: string): Promise<boolean> {
  return withServer(portOf(host), 'postgres', async (client) => {
    await client.query('select 1');
    return true;
  }).catch(() => false);
}

function portOf(host: string): number {
  return Number(host.split(':')[1]);
}
