/** The whole run: starts everything, lets the faults happen one after the other under load, and judges the end. */
import { setTimeout as delay } from 'node:timers/promises';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import { type FaultFigures, measure } from '../figures.ts';
import { startLoad } from '../load.ts';
import type { Programs } from '../programs.ts';
import { environmentFor, openShop, startServices, succeed } from '../services.ts';
import {
  end,
  judgeSince,
  listDefects,
  markOutputs,
  type RunOptions,
  type RunResult,
  type Stage,
  servingAgain,
  servingSecondsMax,
  writeLogs,
} from '../stage.ts';
import { startWatch } from '../watch.ts';
import { type DatabaseCluster, startDatabaseCluster, type Way } from './cluster.ts';
import type { Fault } from './faults.ts';

type PatroniRunOptions = RunOptions<Fault> & {
  readonly programs: Programs;
  readonly ways: readonly Way[];
};

const perWay = 2;

export async function runCluster(options: PatroniRunOptions): Promise<RunResult<FaultFigures>> {
  const { programs, ways, perSecond, closers, onProgress } = options;
  const folder = await makeTemporaryFolder('payment-order-service-cluster-', 0o711);
  closers.add(folder.remove);
  onProgress('Starting etcd, Patroni and HAProxy.');
  const cluster = await startDatabaseCluster(programs, folder.path, closers);
  onProgress('Starting the services.');
  const env = environmentFor(cluster.urls.hosts);
  await succeed(['migrate'], env);
  const services = await startServices(urlsByName(cluster, ways), env, closers);
  const shops = [await openShop(services[0], env)];
  const watch = startWatch(
    cluster.nodes.map(({ name, layout }) => ({ name, postgresPort: layout.postgresPort })),
  );
  closers.add(watch.stop);
  const load = startLoad(services, shops, { perSecond });
  const stage = { services, shops, env, load, watch };
  const { logFolder } = options;
  if (logFolder !== undefined) {
    closers.add(() => writeLogs([...cluster.nodes, ...services], logFolder));
  }
  const figures: FaultFigures[] = [];
  for (const fault of options.faults) {
    onProgress(`${fault.name}: ${fault.text}.`);
    figures.push(await endure(stage, cluster, fault, options.seconds));
  }
  onProgress('Checking everything that was answered 2xx.');
  return { faults: figures, ...(await end(stage)) };
}

/** Some through HAProxy, some with every server in the URL. */
function urlsByName({ urls }: DatabaseCluster, ways: readonly Way[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (const way of ways) {
    for (let number = 1; number <= perWay; number += 1) named[`${way}-${number}`] = urls[way];
  }
  return named;
}

async function endure(
  stage: Stage,
  cluster: DatabaseCluster,
  fault: Fault,
  seconds: number,
): Promise<FaultFigures> {
  const { load, watch, services } = stage;
  const steadyFrom = performance.now();
  await delay(seconds * 1000);
  const leader = await cluster.getLeader();
  const marks = markOutputs(stage);
  const from = performance.now();
  const heal = await fault.happen(cluster, leader);
  const others = cluster.nodes.filter((node) => node !== leader);
  const promotedAt = () =>
    others.map(({ name }) => watch.promotedAfter(name, from)).find((at) => at !== undefined);
  if (fault.promotes) {
    await waitUntil('another node leads', () => promotedAt() !== undefined, servingSecondsMax);
  }
  await delay(Math.max(0, from + seconds * 1000 - performance.now()));
  await servingAgain(stage, ['any']);
  await heal();
  await cluster.healthy();
  await servingAgain(stage, ['any']);
  const window = { from, to: performance.now(), promotedAt: promotedAt() };
  const names = services.map(({ name }) => name);
  return {
    fault: fault.name,
    text: fault.text,
    ...measure(window, load.answers(), names, watch),
    ...(await judgeSince(stage, steadyFrom)),
    defects: listDefects(stage, marks),
  };
}
