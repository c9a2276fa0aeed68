/**
 * Group commit: items that are queued together are written with one statement and one commit, and each still gets its
 * own outcome. A batch holds what arrived while the batch before it was running, so nothing is delayed while the
 * database is idle.
 */
import { ServiceError } from '../domain/errors.ts';
import type { BatchStage, QueueWatch } from './queue-stats.ts';

/** Ends a stage of the batch that runs; what it does after the last one is the stage `database`. */
export type EndStage = (stage: BatchStage) => void;

export type BatchOptions<Item, Outcome> = {
  /** Resolves to one outcome per item, in the order of the items. */
  readonly run: (items: readonly Item[], endStage: EndStage) => Promise<readonly Outcome[]>;
  readonly sizeMax: number;
  /** Batches that may run concurrently. */
  readonly concurrentMax: number;
  /** This many queued items are worth a concurrent batch while another one runs. */
  readonly parallelMin: number;
  /** A batch that takes longer may be waiting for a lock, so another one may run in parallel. */
  readonly patienceMs: number;
  /** Items beyond this length are refused: waiting longer would only delay the refusal. Contract 8.2. */
  readonly queueMax: number;
  /** Creates the watch that receives the batch sizes and the refusals, and reads the queue length. */
  readonly watch?: (countQueued: () => number) => QueueWatch;
};

type Queued<Item, Outcome> = {
  readonly item: Item;
  readonly queuedAtMs: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

export function createBatcher<Item, Outcome>(options: BatchOptions<Item, Outcome>) {
  const { run, sizeMax, concurrentMax, parallelMin, patienceMs, queueMax } = options;
  const queue: Queued<Item, Outcome>[] = [];
  const watch = options.watch?.(() => queue.length);
  let running = 0;
  let slow = 0;
  let isScheduled = false;

  const mayStart = () => {
    const parallel = slow + (queue.length >= parallelMin ? 1 : 0);
    return running < Math.min(1 + parallel, concurrentMax);
  };
  const start = () => {
    isScheduled = false;
    while (mayStart() && queue.length > 0) launch(queue.splice(0, sizeMax));
  };
  const launch = (batch: readonly Queued<Item, Outcome>[]) => {
    let isSlow = false;
    const patience = setTimeout(() => {
      isSlow = true;
      slow += 1;
      start();
    }, patienceMs);
    running += 1;
    watch?.onBatch(batch.length);
    const endStage = startStages(watch, batch[0]?.queuedAtMs);
    endStage('wait');
    void runBatch(run, batch, endStage).then((settle) => {
      clearTimeout(patience);
      running -= 1;
      if (isSlow) slow -= 1;
      endStage('database');
      start();
      const answer = () => {
        settle();
        endStage('answer');
      };
      // The next batch is sent before the callers are answered, so the database works while they are.
      if (running > 0) setImmediate(answer);
      else answer();
    });
  };

  return (item: Item) =>
    new Promise<Outcome>((resolve, reject) => {
      if (queue.length >= queueMax) {
        watch?.onShed();
        reject(new ServiceError('SERVICE_UNAVAILABLE'));
        return;
      }
      queue.push({ item, queuedAtMs: performance.now(), resolve, reject });
      // Requests whose bytes have already arrived join the batch; it waits for no others.
      if (!isScheduled && mayStart()) {
        isScheduled = true;
        setImmediate(start);
      }
    });
}

function startStages(watch: QueueWatch | undefined, beganAtMs = performance.now()): EndStage {
  let sinceMs = beganAtMs;
  return (stage) => {
    const nowMs = performance.now();
    watch?.onStage(stage, (nowMs - sinceMs) / 1_000);
    sinceMs = nowMs;
  };
}

/** Returns a function that settles the callers. */
async function runBatch<Item, Outcome>(
  run: BatchOptions<Item, Outcome>['run'],
  batch: readonly Queued<Item, Outcome>[],
  endStage: EndStage,
): Promise<() => void> {
  try {
    const outcomes = await run(
      batch.map(({ item }) => item),
      endStage,
    );
    if (outcomes.length !== batch.length) throw new Error('a batch lost an outcome');
    return () => {
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome);
    };
  } catch (error) {
    if (batch.length > 1 && !(error instanceof ServiceError)) return () => runEach(run, batch);
    return () => {
      for (const { reject } of batch) reject(error);
    };
  }
}

/** One bad item must neither fail nor delay the others, so each runs by itself, concurrently. */
function runEach<Item, Outcome>(
  run: BatchOptions<Item, Outcome>['run'],
  batch: readonly Queued<Item, Outcome>[],
): void {
  for (const queued of batch) void runBatch(run, [queued], ignoreStage).then((settle) => settle());
}

/** For an item that runs by itself, outside of a batch. */
export function ignoreStage(): void {}
