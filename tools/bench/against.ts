/**
 * `npm run bench -- --against COMMIT…`: this checkout and other commits, each with its own checkout and database on one
 * server, measured in turn in one run. Only the ratios are comparable. A checkout is made once and kept below the
 * folder for temporary files.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/postgres/database.ts';
import { runJsonCommand, runProgram } from '../harness/command-line.ts';
import { projectDir } from '../harness/project.ts';
import { type Service, startService } from '../harness/service.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { startTrustingServer, type TrustingServer } from '../harness/trusting-server.ts';
import { type Measured, measure, type Served } from './load.ts';
import { medianOf } from './median.ts';
import { shopOf, signIn } from './shop.ts';
import { readStartScript } from './stage.ts';
import { serviceTargets, type Target } from './targets.ts';

const rounds = 5;
const startRounds = 3;
const load = { connections: 64, seconds: 2 };
const warmUp = { ...load, seconds: 4 };
const kinds = ['create order', 'enquiry by order id', 'partner webhook', 'bank gateway webhook'];

type Release = {
  readonly name: string;
  readonly startMs: number;
  readonly targets: readonly Target[];
  readonly measured: Map<string, Measured[]>;
  readonly stop: () => Promise<void>;
};

export async function benchAgainst(commits: readonly string[]): Promise<void> {
  const folder = await makeTemporaryFolder('payment-order-service-against-', 0o711);
  const server = await startTrustingServer(join(folder.path, 'postgres'));
  const releases: Release[] = [];
  try {
    for (const commit of commits) {
      releases.push(await startRelease(await checkOut(commit), commit, server, folder.path));
    }
    releases.push(await startRelease(projectDir, 'this', server, folder.path));
    for (const release of releases) await warmUpRelease(release);
    for (let round = 0; round < rounds; round += 1) await measureRound(releases, round);
    console.log(tableOf(releases));
  } finally {
    for (const { stop } of releases) await stop();
    await server.stop();
    await folder.remove();
  }
}

async function checkOut(commit: string): Promise<string> {
  const folder = join(tmpdir(), 'payment-order-service-checkouts', commit);
  if (existsSync(join(folder, 'node_modules'))) return folder;
  await run(['git', 'worktree', 'prune'], projectDir);
  await run(['git', 'worktree', 'add', '--force', '--detach', folder, commit], projectDir);
  await run(['npm', 'ci', '--no-audit', '--no-fund'], folder);
  return folder;
}

async function run(command: readonly [string, ...string[]], cwd: string): Promise<void> {
  // The registry and its certificates are in the environment; npm would install into the folder that it names.
  const env = { ...process.env, npm_config_local_prefix: cwd };
  const { code, stderr } = await runProgram(command, env, '', cwd);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}

async function startRelease(
  checkout: string,
  name: string,
  { address }: TrustingServer,
  folder: string,
): Promise<Release> {
  const database = `release_${name.toLowerCase()}`;
  const cluster = openDatabase(address);
  await cluster.query({ text: `create database ${database}` });
  await cluster.close();
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const { env: startEnv, words } = readStartScript(scripts.start);
  const env = {
    DATABASE_URL: `postgres://${address.user}@/${database}?host=${address.host}&port=${address.port}`,
    MASTER_KEY: '7'.repeat(64),
    DATA_DIR: join(folder, name),
    LOG_LEVEL: 'warn',
  };
  const start = () =>
    startService(
      { ...env, ...startEnv, NODE_COMPILE_CACHE: join(checkout, 'node_modules/.cache/compile') },
      { command: [process.execPath, ...words], cwd: checkout, showErrors: true },
    );
  const { service, startMs } = await startSeveralTimes(start);
  const connection = openDatabase({ ...address, database });
  const account = await runJsonCommand(['account', 'create', '--name', 'Bench'], env, checkout);
  const shop = await signIn(service.baseUrl, shopOf(account));
  const served: Served = {
    url: service.baseUrl,
    pid: service.pid,
    databasePid: await readServerPid(address.host),
  };
  return {
    name,
    startMs,
    targets: serviceTargets({ service: served, database: connection, shop }),
    measured: new Map(kinds.map((kind) => [kind, []])),
    stop: async () => {
      await connection.close();
      await service.end('SIGTERM');
    },
  };
}

/** The first start migrates the database and compiles the sources; it does not count. */
async function startSeveralTimes(start: () => Promise<Service>) {
  let service = await start();
  const times: number[] = [];
  for (let round = 0; round < startRounds; round += 1) {
    await service.end('SIGTERM');
    const startedAt = performance.now();
    service = await start();
    times.push(performance.now() - startedAt);
  }
  return { service, startMs: medianOf(times) };
}

async function readServerPid(directory: string): Promise<number> {
  return Number((await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

async function warmUpRelease(release: Release): Promise<void> {
  for (const kind of kinds) await measureKind(release, kind, warmUp);
}

/** Every second round in the opposite order: what runs first must not have an advantage. */
async function measureRound(releases: readonly Release[], round: number): Promise<void> {
  const order = round % 2 === 0 ? releases : releases.toReversed();
  for (const kind of kinds) {
    for (const release of order) {
      release.measured.get(kind)?.push(await measureKind(release, kind, load));
      process.stdout.write('.');
    }
  }
}

async function measureKind({ targets }: Release, kind: string, options: typeof load) {
  const target = targets.find(({ what }) => what === kind);
  if (!target) throw new Error(`there is no ${kind}`);
  const measured = await measure(target.served, await target.prepare(options.seconds), options);
  if (measured.refused > 0) throw new Error(`${kind}: ${measured.refused} were not answered 200`);
  return measured;
}

function tableOf(releases: readonly Release[]): string {
  const current = releases.at(-1);
  const lines = kinds.flatMap((kind) => releases.map((release) => lineOf(kind, release, current)));
  return `
| at ${load.connections} connections | commit | per second | this / it | p99 ms | CPU µs | database µs | memory MB |
|---|---|---:|---:|---:|---:|---:|---:|
${lines.join('\n')}

${releases.map(({ name, startMs }) => `${name} is ready after ${startMs.toFixed(0)} ms.`).join(' ')}`;
}

function lineOf(kind: string, release: Release, current: Release | undefined): string {
  const measured = release.measured.get(kind) ?? [];
  const own = current?.measured.get(kind) ?? [];
  const middle = (of: (one: Measured) => number) => medianOf(measured.map(of)).toFixed(0);
  const ratios = measured.map(({ perSecond }, round) => (own[round]?.perSecond ?? 0) / perSecond);
  const cells = [
    kind,
    release.name,
    middle(({ perSecond }) => perSecond),
    medianOf(ratios).toFixed(2),
    middle(({ p99Ms }) => p99Ms),
    middle(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
    middle(({ databaseMicrosPerRequest }) => databaseMicrosPerRequest),
    middle(({ memoryBytes }) => memoryBytes / 1e6),
  ];
  return `| ${cells.join(' | ')} |`;
}
