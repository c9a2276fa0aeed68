/**
 * The database servers of compose.cluster.yaml without a container engine: their scripts run on the PostgreSQL of this
 * machine, at addresses in place of names, and the documented `docker` commands are carried out on them.
 */
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { findPostgresFolder } from '../../tools/cluster/programs.ts';
import { runProgram } from '../../tools/harness/command-line.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { assertRunning, type Launched, launch } from '../../tools/harness/launch.ts';
import { projectDir } from '../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';

const programs = await findPostgresFolder();

/** For tests that are skipped without it: the image is Debian's PostgreSQL, and its scripts begin as root. */
export const noServers =
  programs === undefined || process.getuid?.() !== 0
    ? 'needs root, and the Debian package postgresql'
    : false;

export type ComposeCluster = Awaited<ReturnType<typeof openComposeCluster>>;

/** The addresses that stand for the names in the network of the containers. */
const addresses: Readonly<Record<string, string>> = {
  'postgres-1': '127.0.0.2',
  'postgres-2': '127.0.0.3',
};

/** What the image does, as far as the cluster needs it. `$INIT` is its folder of scripts for a new database. */
const entryPoint = `#!/bin/bash
set -euo pipefail
if [ "$(id -u)" = 0 ]; then
  install --directory --owner=postgres --mode=700 "$PGDATA"
  exec gosu postgres "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --no-sync > /dev/null
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --silent --options="-c listen_addresses='' -c unix_socket_directories=$PGHOST" start
  bash "$INIT/primary.sh"
  pg_ctl --wait --silent --mode=fast stop
fi
exec "$@" -c listen_addresses="$NODE" -c unix_socket_directories="$PGHOST"
`;
const stepDown =
  '#!/bin/bash\nshift\nexec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"\n';

export async function openComposeCluster() {
  const { path: root, remove } = await makeTemporaryFolder('pos-compose-', 0o711);
  const running = new Map<string, Launched>();
  after(async () => {
    await Promise.all([...running.keys()].map((name) => stop(name)));
    await remove();
  });
  const port = await findFreePort();
  const translate = (text: string) =>
    Object.entries(addresses)
      .reduce((all, [name, address]) => all.replaceAll(name, address), text)
      .replaceAll('/run/secrets/', `${root}/secrets/`)
      .replaceAll('/cluster/primary', `${root}/cluster/primary`);
  await layOut(root, translate);

  const dataOf = (name: string) => join(root, name, '18/docker');
  const envOf = (name: string) => ({
    PATH: `${root}/bin:${programs}:${process.env.PATH}`,
    NODE: translate(name),
    PGDATA: dataOf(name),
    PGPORT: String(port),
    PGHOST: join(root, name),
    INIT: join(root, 'scripts'),
    POSTGRES_PASSWORD_FILE: join(root, 'secrets/postgres_password'),
  });
  const start = async (name: string): Promise<Launched> => {
    await makeVolume(root, name);
    const words = ['bash', join(root, 'scripts/postgres.sh')] as const;
    const started = launch(words, envOf(name), { ownGroup: true });
    running.set(name, started);
    return started;
  };
  const stop = async (name: string, signal: NodeJS.Signals = 'SIGINT') => {
    const server = running.get(name);
    running.delete(name);
    if (!server || server.hasExited()) return;
    // The image's signal to stop is SIGINT. A kill ends everything in the container.
    process.kill(signal === 'SIGKILL' ? -server.pid : server.pid, signal);
    await server.exited;
  };
  const execute = async (name: string, words: readonly string[]): Promise<string> => {
    const [program = '', ...rest] = words.map((word) =>
      word.replace(/^\/(?=\w+\.sh$)/, `${root}/scripts/`),
    );
    const { code, stdout, stderr } = await runProgram([program, ...rest], envOf(name));
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const waitUntilHealthy = (name: string) =>
    waitUntil(`${name} is healthy`, async () => {
      const server = running.get(name);
      if (server) await assertRunning(server);
      const check = ['pg_isready', '--quiet', `--host=${translate(name)}`] as const;
      return (await runProgram(check, envOf(name))).code === 0;
    });
  return {
    /** `folder` of the volume in which a server has its data. */
    dataOf,
    binFolder: join(root, 'bin'),
    start,
    stop,
    execute,
    waitUntilHealthy,
    url: translate(await readFile(join(root, '.secrets/database_url'), 'utf8')).replaceAll(
      ':5432',
      `:${port}`,
    ),
    query: (name: string, text: string) =>
      execute(name, [
        'psql',
        '--username=postgres',
        '--tuples-only',
        '--no-align',
        `--command=${text}`,
      ]),
    /** Carries out a line of docs/deploy.md. */
    paste: async (line: string): Promise<string> => {
      const { stdout } = await runProgram(['bash', '-c', `printf '%s\\0' ${line}`], {});
      const words = stdout.split('\0').slice(0, -1);
      const [name = ''] = words.filter((word) => word in addresses);
      const text = words.join(' ');
      const inCompose = 'docker compose -f compose.cluster.yaml';
      if (text === `${inCompose} stop ${name}` || text === `${inCompose} rm --force --stop ${name}`)
        await stop(name);
      else if (text.startsWith(`${inCompose} exec ${name} `))
        return execute(name, words.slice(words.indexOf(name) + 1));
      else if (text === `${inCompose} up --detach --wait ${name}`) {
        await start(name);
        await waitUntilHealthy(name);
      } else {
        const [, volume = ''] = /^docker volume rm payment-order-cluster_(\S+)$/.exec(text) ?? [];
        if (!(volume in addresses)) throw new Error(`cannot carry out ${line}`);
        await rm(join(root, volume), { recursive: true });
      }
      return '';
    },
  };
}

async function layOut(root: string, translate: (text: string) => string): Promise<void> {
  await cp(join(projectDir, 'deploy/cluster'), join(root, 'deploy/cluster'), { recursive: true });
  await runProgram(['sh', join(root, 'deploy/cluster/make-secrets.sh')], {});
  // In containers each is mounted on its own, so the server's user can read them.
  await cp(join(root, '.secrets'), join(root, 'secrets'), { recursive: true });
  await chmod(join(root, 'secrets'), 0o711);
  for (const folder of ['bin', 'scripts', 'cluster']) await mkdir(join(root, folder));
  for (const file of ['postgres.sh', 'primary.sh', 'promote.sh']) {
    const text = await readFile(join(root, 'deploy/cluster', file), 'utf8');
    await writeFile(join(root, 'scripts', file), translate(text));
  }
  await writeFile(join(root, 'bin/docker-entrypoint.sh'), entryPoint, { mode: 0o755 });
  await writeFile(join(root, 'bin/gosu'), stepDown, { mode: 0o755 });
}

/** As Docker makes one from /var/lib/postgresql of the image; its sockets are there, too. */
async function makeVolume(root: string, name: string): Promise<void> {
  const words = ['install', '--directory', '--owner=postgres', '--mode=755'] as const;
  await runProgram([...words, join(root, name)], {});
}
