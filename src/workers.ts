/** Several processes on one port: the first one keeps the database and looks after the others. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry } from 'prom-client';
import type { Metrics } from './http/operator/metrics.ts';
import type { OperatorParts } from './http/operator/operator-api.ts';
import type { Log } from './log.ts';

export type Workers = {
  /** Resolves when as many as were asked for have a database to serve from. */
  readonly ready: Promise<void>;
  readonly stop: () => Promise<void>;
};

type MetricsQuestion = { readonly ask: 'metrics'; readonly id: number };
type MetricsAnswer = {
  readonly tell: 'metrics';
  readonly id: number;
  readonly text: string | null;
};
const serving = 'serving';
const ready = 'ready';
const restMs = 1_000;

/** Resolves when all of them listen; a worker that dies is replaced, until the service ends. */
export async function startWorkers(count: number, log: Log, ending: AbortSignal): Promise<Workers> {
  const aggregator = new AggregatorRegistry();
  const served = new Set<number>();
  const withDatabase = new Set<number>();
  const allReady = Promise.withResolvers<void>();
  allReady.promise.catch(() => {});
  ending.addEventListener('abort', () => allReady.reject(ending.reason), { once: true });
  const fork = async () => {
    const worker = cluster.fork();
    worker.on('message', (message: unknown) => {
      void answer(worker, () => aggregator.clusterMetrics(), message);
      if (message === ready) withDatabase.add(worker.id);
      if (withDatabase.size === count) allReady.resolve();
    });
    const [first] = (await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit'),
    ])) as unknown[];
    if (first !== serving) throw new Error('a worker ended before it could serve');
    served.add(worker.id);
  };
  let replacedAtMs = Number.NEGATIVE_INFINITY;
  const replace = async (): Promise<void> => {
    // Whatever ends a worker as soon as it starts must not have us start one after the other.
    const sinceMs = performance.now() - replacedAtMs;
    replacedAtMs = performance.now();
    if (sinceMs < restMs) await delay(restMs);
    if (ending.aborted) return;
    try {
      await fork();
    } catch (error) {
      log.error({ err: error }, 'a worker could not be replaced, and is tried again');
      await replace();
    }
  };
  cluster.on('exit', (worker) => {
    withDatabase.delete(worker.id);
    // One that never served fails the start, or is tried again by who replaces it.
    if (ending.aborted || !served.delete(worker.id)) return;
    log.error({ worker: worker.id }, 'a worker ended and is replaced');
    void replace();
  });
  await Promise.all(Array.from({ length: count }, fork));
  return {
    ready: allReady.promise,
    stop: async () => {
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(workers.map(endWorker));
    },
  };
}

/** In a worker: tells the first process that this one listens, be it only to say that the database is away. */
export function reportServing(): void {
  process.send?.(serving);
}

/** In a worker: tells the first process that this one has a database to serve from. */
export function reportReady(): void {
  process.send?.(ready);
}

/** In a worker: the metrics page of all workers together, which only the first process can see. */
export function renderSharedMetrics({ registry }: Metrics): OperatorParts['renderMetrics'] {
  AggregatorRegistry.setRegistries([registry]);
  // Answers the first process when it collects.
  new AggregatorRegistry();
  let questions = 0;
  return async () => {
    const id = ++questions;
    const answered = new Promise<string | null>((resolve) => {
      const listen = (message: MetricsAnswer) => {
        if (message?.tell !== 'metrics' || message.id !== id) return;
        process.off('message', listen);
        resolve(message.text);
      };
      process.on('message', listen);
    });
    process.send?.({ ask: 'metrics', id } satisfies MetricsQuestion);
    return {
      contentType: registry.contentType,
      text: (await answered) ?? (await registry.metrics()),
    };
  };
}

async function answer(
  worker: Worker,
  collect: () => Promise<string>,
  message: unknown,
): Promise<void> {
  const question = message as MetricsQuestion;
  if (question?.ask !== 'metrics') return;
  // A worker that is just being replaced does not answer; the page must not cost the service.
  const text = await collect().catch(() => null);
  if (worker.isConnected())
    worker.send({ tell: 'metrics', id: question.id, text } satisfies MetricsAnswer);
}

async function endWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  worker.process.kill('SIGTERM');
  await ended;
}
