/** Several processes on one port: the first process owns the database and replaces workers that exit. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Metrics } from '../http/operator/metrics.ts';
import type { OperatorParts } from '../http/operator/operator-api.ts';
import type { Log } from './log.ts';

type MetricsRequest = { readonly type: 'metrics-request'; readonly id: number };
type MetricsReply = {
  readonly type: 'metrics-reply';
  readonly id: number;
  readonly text: string | null;
};
const replaceIntervalMsMin = 1_000;

/** Resolves when all workers listen. Until the service ends, a worker that exits is replaced. */
export async function startWorkers(
  count: number,
  environment: Readonly<Record<string, string>>,
  log: Log,
  ending: AbortSignal,
) {
  const aggregator = new AggregatorRegistry();
  const servingWorkers = new Set<number>();
  const withDatabase = new Set<number>();
  const allReady = Promise.withResolvers<void>();
  allReady.promise.catch(() => {});
  ending.addEventListener('abort', () => allReady.reject(ending.reason), { once: true });
  const fork = async () => {
    const worker = cluster.fork(environment);
    worker.on('message', (message: unknown) => {
      void replyWithMetrics(worker, () => aggregator.clusterMetrics(), message);
      if (message === 'ready') withDatabase.add(worker.id);
      if (withDatabase.size === count) allReady.resolve();
    });
    const [first] = (await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit'),
    ])) as unknown[];
    if (first !== 'serving') throw new Error('a worker ended before it could serve');
    servingWorkers.add(worker.id);
  };
  let replacedAtMs = Number.NEGATIVE_INFINITY;
  const replace = async (): Promise<void> => {
    // Limits the rate, in case every worker exits as soon as it starts.
    const sinceMs = performance.now() - replacedAtMs;
    replacedAtMs = performance.now();
    if (sinceMs < replaceIntervalMsMin) await delay(replaceIntervalMsMin);
    if (ending.aborted) return;
    try {
      await fork();
    } catch (error) {
      log.error({ err: error }, 'a worker could not be replaced; retrying');
      await replace();
    }
  };
  cluster.on('exit', (worker) => {
    withDatabase.delete(worker.id);
    // A worker that exits before it serves is handled by its caller: it fails the start, or `replace` retries.
    if (ending.aborted || !servingWorkers.delete(worker.id)) return;
    log.error({ worker: worker.id }, 'a worker ended and is replaced');
    void replace();
  });
  await Promise.all(Array.from({ length: count }, fork));
  return {
    /** Resolves when all workers have a prepared database. */
    ready: allReady.promise,
    stop: async () => {
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(workers.map(endWorker));
    },
  };
}

/** In a worker: that it listens, even if it can only answer 503 so far, and then that its database is prepared. */
export function reportToFirst(state: 'serving' | 'ready'): void {
  process.send?.(state);
}

/** In a worker: the metrics of all workers together, which only the first process can collect. */
export function renderSharedMetrics({ registry }: Metrics): OperatorParts['renderMetrics'] {
  AggregatorRegistry.setRegistries([registry]);
  // Its constructor installs the listener that sends this worker's metrics to the first process.
  new AggregatorRegistry();
  let requests = 0;
  return async () => {
    const id = ++requests;
    const reply = new Promise<string | null>((resolve) => {
      const listen = (message: MetricsReply) => {
        if (message?.type !== 'metrics-reply' || message.id !== id) return;
        process.off('message', listen);
        resolve(message.text);
      };
      process.on('message', listen);
    });
    process.send?.({ type: 'metrics-request', id } satisfies MetricsRequest);
    return {
      contentType: registry.contentType,
      text: (await reply) ?? (await registry.metrics()),
    };
  };
}

async function replyWithMetrics(worker: Worker, collect: () => Promise<string>, message: unknown) {
  const request = message as MetricsRequest;
  if (request?.type !== 'metrics-request') return;
  // Collecting fails while a worker is being replaced; the worker then shows its own metrics only.
  const text = await collect().catch(() => null);
  if (worker.isConnected())
    worker.send({ type: 'metrics-reply', id: request.id, text } satisfies MetricsReply);
}

async function endWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  await ended;
}
