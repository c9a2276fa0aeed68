/** The whole run: starts everything, lets the faults happen one after the other under load, and judges the end. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Closers } from '../harness/closers.ts';
import { runJsonCommand } from '../harness/command-line.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { type DatabaseCluster, startDatabaseCluster, type Way } from './database-cluster.ts';
import type { Fault } from './faults.ts';
import { type FaultFigures, measure } from './figures.ts';
import { judge } from './judge.ts';
import { type Load, startLoad } from './load.ts';
import type { Programs } from './programs.ts';
import { type ClusterServices, startServices } from './services.ts';
import { startWatch, type Watch } from './watch.ts';

export type RunOptions = {
  readonly programs: Programs;
  readonly faults: readonly Fault[];
  readonly ways: readonly Way[];
  /** Orders that are begun in a second at each service. */
  readonly perSecond: number;
  /** The load before a fault, and at least as long after it. */
  readonly seconds: number;
  readonly closers: Closers;
  /** Where the logs of the nodes and services are written at the end; undefined: nowhere. */
  readonly logFolder: string | undefined;
  readonly onProgress: (line: string) => void;
};

export type RunResult = {
  readonly faults: readonly FaultFigures[];
  /** Everything that was answered 2xx, at the end of the run. */
  readonly creates: number;
  readonly webhooks: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Calls that were not answered 2xx in the end. */
  readonly unanswered: readonly string[];
  readonly verified: { readonly orders: number; readonly breaches: readonly unknown[] };
};

type Stage = ClusterServices & {
  readonly cluster: DatabaseCluster;
  readonly load: Load;
  readonly watch: Watch;
};

/** Longer than a leader that hangs is waited for, and than its successor needs. */
const servingSecondsMax = 120;

export async function runCluster(options: RunOptions): Promise<RunResult> {
  const { programs, closers, onProgress } = options;
  const folder = await makeTemporaryFolder('payment-order-service-cluster-', 0o711);
  closers.add(folder.remove);
  onProgress('Starting etcd, Patroni and HAProxy.');
  const cluster = await startDatabaseCluster(programs, folder.path, closers);
  onProgress('Starting the services.');
  const started = await startServices(cluster, options.ways, closers);
  const watch = startWatch(cluster.nodes);
  closers.add(watch.stop);
  const load = startLoad(started.services, started.shop, options.perSecond);
  const stage = { ...started, cluster, load, watch };
  const { logFolder } = options;
  if (logFolder !== undefined) closers.add(() => writeLogs(stage, logFolder));
  const figures: FaultFigures[] = [];
  for (const fault of options.faults) {
    onProgress(`${fault.name}: ${fault.text}.`);
    figures.push(await endure(stage, fault, options.seconds));
  }
  onProgress('Checking everything that was answered 2xx.');
  return { faults: figures, ...(await end(stage)) };
}

async function endure(stage: Stage, fault: Fault, seconds: number): Promise<FaultFigures> {
  const { cluster, load, watch, services } = stage;
  const steadyFrom = performance.now();
  await delay(seconds * 1000);
  const leader = await cluster.getLeader();
  const logged = services.map(({ output }) => output().length);
  const from = performance.now();
  const heal = await fault.happen(cluster, leader);
  const others = cluster.nodes.filter((node) => node !== leader);
  const promotedAt = () =>
    others.map(({ name }) => watch.promotedAfter(name, from)).find((at) => at !== undefined);
  if (fault.promotes) {
    await waitUntil('another node leads', () => promotedAt() !== undefined, servingSecondsMax);
  }
  await delay(Math.max(0, from + seconds * 1000 - performance.now()));
  await servingAgain(stage);
  await heal();
  await cluster.healthy();
  await servingAgain(stage);
  const window = { from, to: performance.now(), promotedAt: promotedAt() };
  const names = services.map(({ name }) => name);
  const [service] = services;
  if (!service) throw new Error('there is no service');
  const entries = load.ledger().filter(({ at }) => at >= steadyFrom);
  return {
    fault: fault.name,
    text: fault.text,
    ...measure(window, load.answers(), names, watch),
    ...(await judge(service, stage.shop, entries)),
    defects: services.flatMap(({ output }, index) => defectsIn(output().slice(logged[index]))),
  };
}

/** Each service has answered a create and a webhook 2xx from now on. */
async function servingAgain({ load, services }: Stage): Promise<void> {
  const from = load.answers().length;
  const isServing = (name: string) =>
    (['create', 'webhook'] as const).every((wanted) =>
      load
        .answers()
        .slice(from)
        .some(
          ({ service, kind, status }) =>
            service === name && kind === wanted && status < 300 && status > 0,
        ),
    );
  await waitUntil(
    'every service serves',
    () => services.every(({ name }) => isServing(name)),
    servingSecondsMax,
  );
}

async function writeLogs({ cluster, services }: Stage, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, output } of [...cluster.nodes, ...services]) {
    await writeFile(join(folder, `${name}.log`), output());
  }
}

/** An unavailable database is logged too, and is no defect. */
function defectsIn(output: string): string[] {
  const isDefect = (line: string) =>
    /"level":"(error|fatal)"/.test(line) && !line.includes('"code":"SERVICE_UNAVAILABLE"');
  return output.split('\n').filter(isDefect);
}

async function end({ load, services, shop, env }: Stage): Promise<Omit<RunResult, 'faults'>> {
  const unanswered = await load.stop();
  const [service] = services;
  if (!service) throw new Error('there is no service');
  const ledger = load.ledger();
  const verdict = await judge(service, shop, ledger);
  const verified = (await runJsonCommand(['verify'], env)) as unknown as RunResult['verified'];
  const webhooks = ledger.filter(({ isPaid }) => isPaid).length;
  const extra = verified.orders - ledger.length;
  const doubled = extra === 0 ? verdict.doubled : [...verdict.doubled, `${extra} orders too many`];
  return { creates: ledger.length, webhooks, lost: verdict.lost, doubled, unanswered, verified };
}
