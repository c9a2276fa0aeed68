/** Builds the application, listens, and shuts down without dropping a request. */
import cluster from 'node:cluster';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import type { Bootstrapped } from './bootstrap.ts';
import type { Config } from './config.ts';
import { createMetrics, type Metrics } from './http/operator/metrics.ts';
import type { OperatorParts, Readiness } from './http/operator/operator-api.ts';
import { explainListenError } from './listen-errors.ts';
import type { Log } from './log.ts';
import type { Services } from './services/services.ts';
import { findMissingMigrations } from './store/migrate.ts';
import { listLateSteps } from './use-cases/maintenance/late-steps.ts';
import type { DatabaseWait } from './wait-for-database.ts';

export type Serving = {
  readonly app: FastifyInstance;
  /** Answers the requests in flight, then stops. */
  readonly stop: () => Promise<void>;
};

export type ServeOptions = {
  /** What the process itself has not finished yet, such as `background`. */
  readonly listMissing: () => readonly string[];
  readonly renderMetrics?: ((metrics: Metrics) => OperatorParts['renderMetrics']) | undefined;
};

type ServedParts = Pick<Bootstrapped, 'services' | 'databaseWait'> &
  Partial<Pick<Bootstrapped, 'tracing'>>;

export async function serve(
  config: Pick<Config, 'host' | 'port'>,
  { services, databaseWait, tracing }: ServedParts,
  log: Log,
  { listMissing, renderMetrics = renderOwnMetrics }: ServeOptions,
): Promise<Serving> {
  const metrics = createMetrics();
  let draining = false;
  const app = await buildApp({
    services,
    metrics,
    log,
    renderMetrics: renderMetrics(metrics),
    checkReadiness: () => checkReadiness(services, databaseWait, listMissing),
    isPrepared: databaseWait.isDone,
    isDraining: () => draining,
    traceRequests: tracing?.traceRequests,
  });
  await listen(app, config);
  return {
    app,
    stop: async () => {
      await drain(app, () => {
        draining = true;
      });
      await app.close();
    },
  };
}

async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<void> {
  try {
    // On Linux each worker has its own listening socket, and the kernel distributes connections.
    const reusePort = cluster.isWorker && process.platform === 'linux';
    const address = { host, port, reusePort };
    await app.listen(address);
  } catch (error) {
    throw explainListenError(error, host, port);
  }
}

/**
 * Accepts no new connections, but leaves idle ones open for a moment: a client may have a request on the way, which is
 * answered with `Connection: close`.
 */
async function drain(app: FastifyInstance, startDraining: () => void): Promise<void> {
  const graceMs = 1_000;
  const inFlightMsMax = 5_000;
  const { server } = app;
  await acceptWaiting(server);
  // `close` of the HTTP server would also close idle connections immediately.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  // A client that gets `Connection: close` reconnects immediately. By then the other workers must have closed their
  // listening sockets too.
  if (cluster.isWorker) await delay(otherWorkersCloseMs);
  startDraining();
  await Promise.race([closed, delay(graceMs)]);
  server.closeIdleConnections();
  await Promise.race([closed, delay(inFlightMsMax, undefined, { ref: false })]);
  server.closeAllConnections();
}

const otherWorkersCloseMs = 100;

/**
 * Closing a listening socket resets connections that are established but not accepted yet, and a proxy must not repeat
 * their requests. So this accepts them, and resolves right after a turn of the event loop in which there were none.
 */
async function acceptWaiting(server: NetServer): Promise<void> {
  const deadline = performance.now() + acceptMsMax;
  let hasAccepted = false;
  const note = () => {
    hasAccepted = true;
  };
  server.on('connection', note);
  // The rest of the current turn, which may have looked for connections long ago.
  await nextTurn();
  do {
    hasAccepted = false;
    await nextTurn();
  } while (hasAccepted && performance.now() < deadline);
  server.off('connection', note);
}

/** Callers that never stop connecting do not keep the process running. */
const acceptMsMax = 1_000;

async function checkReadiness(
  services: Services,
  { isDone }: DatabaseWait,
  listMissing: () => readonly string[],
): Promise<Readiness> {
  const notReady = (...missing: string[]) => ({ missing, late: [] });
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

function renderOwnMetrics({ registry }: Metrics): OperatorParts['renderMetrics'] {
  return async () => ({ contentType: registry.contentType, text: await registry.metrics() });
}
