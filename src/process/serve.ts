/** Builds the application, listens, and shuts down without dropping a request. */
import cluster from 'node:cluster';
import { createMetrics, type Metrics } from '../http/operator/metrics.ts';
import type { OperatorParts, Readiness } from '../http/operator/operator-api.ts';
import type { Services } from '../services/services.ts';
import { findMissingMigrations } from '../store/upkeep/migrate.ts';
import { listLateSteps } from '../use-cases/upkeep/sweep.ts';
import { buildApp } from './app.ts';
import type { Bootstrapped } from './bootstrap.ts';
import type { Config } from './config.ts';
import { drain } from './drain.ts';
import type { Log } from './log.ts';
import { explainListenError } from './refuse-taken-port.ts';
import type { DatabaseWait } from './wait-for-database.ts';

export type ServeOptions = {
  /** What the process itself has not finished yet, such as `background`. */
  readonly listMissing: () => readonly string[];
  readonly renderMetrics?: ((metrics: Metrics) => OperatorParts['renderMetrics']) | undefined;
};

type ServedParts = Pick<Bootstrapped, 'services' | 'databaseWait'> &
  Partial<Pick<Bootstrapped, 'tracing'>>;

export async function serve(
  { host, port }: Pick<Config, 'host' | 'port'>,
  { services, databaseWait, tracing }: ServedParts,
  log: Log,
  { listMissing, renderMetrics = renderOwnMetrics }: ServeOptions,
) {
  const metrics = createMetrics();
  let isStopping = false;
  let isDraining = false;
  const app = await buildApp({
    services,
    metrics,
    log,
    renderMetrics: renderMetrics(metrics),
    checkReadiness: async () =>
      isStopping
        ? notReady('the service is stopping')
        : await checkReadiness(services, databaseWait, listMissing),
    isPrepared: databaseWait.isDone,
    isDraining: () => isDraining,
    traceRequests: tracing?.traceRequests,
  });
  try {
    // On Linux each worker has its own listening socket, and the kernel distributes connections.
    const reusePort = cluster.isWorker && process.platform === 'linux';
    const address = { host, port, reusePort };
    await app.listen(address);
  } catch (error) {
    throw explainListenError(error, host, port);
  }
  return {
    app,
    stop: async () => {
      await drain(app.server, {
        announce: () => {
          isStopping = true;
        },
        endConnections: () => {
          isDraining = true;
        },
      });
      await app.close();
    },
  };
}

async function checkReadiness(
  services: Services,
  { isDone }: DatabaseWait,
  listMissing: () => readonly string[],
): Promise<Readiness> {
  try {
    const migrations = await findMissingMigrations(services.database);
    if (migrations.length > 0) return notReady(...migrations.map((name) => `migration ${name}`));
    if (!isDone()) return notReady('the database is not prepared yet');
    const late = await listLateSteps(services);
    return { missing: listMissing(), late };
  } catch {
    return notReady('the database does not answer');
  }
}

function notReady(...missing: string[]): Readiness {
  return { missing, late: [] };
}

function renderOwnMetrics({ registry }: Metrics): OperatorParts['renderMetrics'] {
  return async () => ({ contentType: registry.contentType, text: await registry.metrics() });
}
