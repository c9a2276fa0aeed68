/** One serving process: builds the application, listens, and ends without dropping a request. */
import cluster from 'node:cluster';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import type { Bootstrapped } from './bootstrap.ts';
import type { Config } from './config.ts';
import { createMetrics, type Metrics } from './http/operator/metrics.ts';
import type { OperatorParts } from './http/operator/operator-api.ts';
import { explainListenError } from './listen-errors.ts';
import type { Log } from './log.ts';
import type { Services } from './services/services.ts';
import { findMissingMigrations } from './store/migrate.ts';
import type { DatabaseWait } from './wait-for-database.ts';

export type Serving = {
  readonly app: FastifyInstance;
  /** Answers what is in flight, then stops. */
  readonly stop: () => Promise<void>;
};

export async function serve(
  config: Config,
  { services, preparation }: Bootstrapped,
  log: Log,
  renderMetrics: (metrics: Metrics) => OperatorParts['renderMetrics'] = renderOwnMetrics,
): Promise<Serving> {
  const metrics = createMetrics();
  let draining = false;
  const app = await buildApp({
    services,
    metrics,
    log,
    renderMetrics: renderMetrics(metrics),
    findMissing: () => findMissing(services, preparation),
    isPrepared: preparation.isDone,
    isDraining: () => draining,
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

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    // Workers on Linux each have a listening socket of their own; the kernel spreads connections.
    const reusePort = cluster.isWorker && process.platform === 'linux';
    const address = { host, port, reusePort };
    await app.listen(address);
  } catch (error) {
    throw explainListenError(error, host, port);
  }
}

/**
 * Takes no new connections but leaves the open ones alone for a moment: a client that keeps its
 * connection may have a request on the way, which is answered with `Connection: close`.
 */
async function drain(app: FastifyInstance, sayClose: () => void): Promise<void> {
  const graceMs = 1_000;
  const inFlightMsMax = 5_000;
  const { server } = app;
  // The HTTP server's own close would cut idle connections at once.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  // A client that is told to close connects anew at once, and must not meet another worker that
  // has yet to close its own listening socket.
  if (cluster.isWorker) await delay(otherWorkersCloseMs);
  sayClose();
  await Promise.race([closed, delay(graceMs)]);
  server.closeIdleConnections();
  await Promise.race([closed, delay(inFlightMsMax, undefined, { ref: false })]);
  server.closeAllConnections();
}

const otherWorkersCloseMs = 100;

async function findMissing(services: Services, { isDone }: DatabaseWait): Promise<string[]> {
  try {
    const missing = await findMissingMigrations(services.database);
    if (missing.length === 0 && !isDone()) return ['the preparation of the database'];
    return missing.map((name) => `migration ${name}`);
  } catch {
    return ['the database does not answer'];
  }
}

function renderOwnMetrics({ registry }: Metrics): OperatorParts['renderMetrics'] {
  return async () => ({ contentType: registry.contentType, text: await registry.metrics() });
}
