/** The whole run on Citus: every account is called at every service, in pairs that are on different workers. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../../harness/project.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';
import { waitUntil } from '../../harness/wait-until.ts';
import { type LoadShop, startLoad } from '../load.ts';
import {
  type ClusterService,
  environmentFor,
  openShop,
  startServices,
  succeed,
} from '../services.ts';
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
import { type CitusCluster, startCitusCluster } from './cluster.ts';
import type { CitusFault } from './faults.ts';
import { type CitusFigures, measureCitus } from './figures.ts';

type CitusRunOptions = RunOptions<CitusFault> & { readonly postgresFolder: string };

type CitusStage = Stage & {
  readonly cluster: CitusCluster;
  /** The name of the worker by account. */
  readonly workerOf: ReadonlyMap<string, string>;
};

const shopsPerWorker = 4;

export async function runCitus(options: CitusRunOptions): Promise<RunResult<CitusFigures>> {
  const { perSecond, closers, logFolder, onProgress } = options;
  const folder = await makeTemporaryFolder('payment-order-service-citus-', 0o711);
  closers.add(folder.remove);
  onProgress('Starting a coordinator and two workers.');
  const cluster = await startCitusCluster(options.postgresFolder, folder.path, closers);
  const env = environmentFor(cluster.url);
  await succeed(['migrate'], env);
  await succeed(['cluster', 'distribute'], env);
  onProgress('Starting the services.');
  const urls = { 'service-1': cluster.url, 'service-2': cluster.url };
  const services = await startServices(urls, env, closers);
  if (logFolder !== undefined) {
    closers.add(() => writeLogs([...cluster.nodes, ...services], logFolder));
  }
  const { shops, workerOf } = await openShops(cluster, services, env);
  const watch = startWatch(cluster.nodes);
  closers.add(watch.stop);
  const load = startLoad(services, shops, { perSecond, atOnce: cluster.workers.length });
  const stage = { services, shops, env, load, watch, cluster, workerOf };
  await servingAgain(stage, shops);
  const figures: CitusFigures[] = [];
  for (const fault of options.faults) {
    onProgress(`${fault.name}: ${fault.text}.`);
    figures.push(await endure(stage, fault, options.seconds));
  }
  onProgress('Checking everything that was answered 2xx.');
  return { faults: figures, ...(await end(stage)) };
}

/** The same number on each worker, and neighbours on different ones, so that their orders meet in a batch. */
async function openShops(
  cluster: CitusCluster,
  services: readonly ClusterService[],
  env: Environment,
): Promise<{ shops: LoadShop[]; workerOf: ReadonlyMap<string, string> }> {
  const byWorker = new Map(cluster.workers.map(({ name }) => [name, [] as LoadShop[]]));
  const workerOf = new Map<string, string>();
  while ([...byWorker.values()].some(({ length }) => length < shopsPerWorker)) {
    const shop = await openShop(services[0], env);
    const { name } = await cluster.getWorkerOf(shop.accountId);
    byWorker.get(name)?.push(shop);
    workerOf.set(shop.accountId, name);
  }
  const shops = Array.from({ length: shopsPerWorker }, (_, index) =>
    [...byWorker.values()].flatMap((own) => own[index] ?? []),
  ).flat();
  return { shops, workerOf };
}

async function endure(
  stage: CitusStage,
  fault: CitusFault,
  seconds: number,
): Promise<CitusFigures> {
  const { cluster, load, watch, services, shops, workerOf } = stage;
  const node = fault.chooseNode(cluster);
  const steadyFrom = performance.now();
  await delay(seconds * 1000);
  const marks = markOutputs(stage);
  const from = performance.now();
  const heal = await fault.happen(node);
  await delay(Math.max(0, from + seconds * 1000 - performance.now()));
  await heal();
  await cluster.healthy();
  const decided = await waitUntilDecided(cluster);
  await servingAgain(stage, shops);
  const isAffected = (accountId: string) =>
    node === cluster.coordinator || workerOf.get(accountId) === node.name;
  const window = { from, to: performance.now(), node: node.name, isAffected };
  const names = services.map(({ name }) => name);
  return {
    fault: fault.name,
    text: fault.text,
    ...measureCitus(window, load.answers(), names, watch),
    ...decided,
    ...(await judgeSince(stage, steadyFrom)),
    defects: listDefects(stage, marks),
  };
}

/** The coordinator decides what a node left prepared; rows of such a transaction are locked until then. */
async function waitUntilDecided(cluster: CitusCluster) {
  const since = performance.now();
  let inDoubt = 0;
  await waitUntil(
    'no transaction is in doubt',
    async () => {
      const count = await cluster.countInDoubt();
      inDoubt = Math.max(inDoubt, count);
      return count === 0;
    },
    servingSecondsMax,
  );
  const inDoubtMs = inDoubt === 0 ? 0 : Math.round(performance.now() - since);
  return { inDoubt, inDoubtMs };
}
