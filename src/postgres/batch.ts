/**
 * Group commit: what waits together goes to the database together, in one statement and one commit, and
 * each still gets its own outcome. Nothing waits while the database is idle: a batch is as large as what
 * came while the one before it was under way. The next goes beside it when it is worth a round trip of its
 * own, or when that one is slow, for it may wait for somebody's lock.
 */
import { ServiceError } from '../domain/errors.ts';
import type { QueueWatch } from './queue-stats.ts';

export type BatchOptions<Item, Outcome> = {
  /** Outcomes in the order of the items. */
  readonly run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  readonly sizeMax: number;
  /** Batches under way at once. */
  readonly concurrentMax: number;
  /** So many go beside the batch under way. */
  readonly besideMin: number;
  /** A batch that takes longer is slow. */
  readonly patienceMs: number;
  /** What waits beyond this is shed: a queue that only grows helps nobody. Contract 8.2. */
  readonly queueMax: number;
  /** Who is told how it goes; asks how many wait. */
  readonly watch?: (countWaiting: () => number) => QueueWatch;
};

type Waiting<Item, Outcome> = {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

export function createBatcher<Item, Outcome>(
  options: BatchOptions<Item, Outcome>,
): (item: Item) => Promise<Outcome> {
  const { run, sizeMax, concurrentMax, besideMin, patienceMs, queueMax } = options;
  const queue: Waiting<Item, Outcome>[] = [];
  const watch = options.watch?.(() => queue.length);
  let underWay = 0;
  let slow = 0;
  let isPlanned = false;

  /** Gives back how to tell each what came of it. */
  const runOne = async (batch: readonly Waiting<Item, Outcome>[]): Promise<() => void> => {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      if (outcomes.length !== batch.length) throw new Error('a batch lost an outcome');
      return () => {
        for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome);
      };
    } catch (error) {
      if (batch.length > 1 && !(error instanceof ServiceError)) return () => runEach(batch);
      return () => {
        for (const { reject } of batch) reject(error);
      };
    }
  };
  /** One bad item must neither fail nor hold up its neighbours, so each is tried by itself, beside the rest. */
  const runEach = (batch: readonly Waiting<Item, Outcome>[]) => {
    for (const waiting of batch) void runOne([waiting]).then((tell) => tell());
  };
  const hasPlace = () => {
    const beside = slow + (queue.length >= besideMin ? 1 : 0);
    return underWay < Math.min(1 + beside, concurrentMax);
  };
  const start = () => {
    isPlanned = false;
    while (hasPlace() && queue.length > 0) launch(queue.splice(0, sizeMax));
  };
  const launch = (batch: readonly Waiting<Item, Outcome>[]) => {
    let isSlow = false;
    const impatience = setTimeout(() => {
      isSlow = true;
      slow += 1;
      start();
    }, patienceMs);
    underWay += 1;
    watch?.onBatch(batch.length);
    void runOne(batch).then((tell) => {
      clearTimeout(impatience);
      underWay -= 1;
      if (isSlow) slow -= 1;
      start();
      // Answering takes a while, in which the database can work: the next batch leaves first.
      if (underWay > 0) setImmediate(tell);
      else tell();
    });
  };

  return (item) =>
    new Promise((resolve, reject) => {
      if (queue.length >= queueMax) {
        watch?.onShed();
        reject(new ServiceError('SERVICE_UNAVAILABLE'));
        return;
      }
      queue.push({ item, resolve, reject });
      // After everything that has just arrived was read, and without waiting for any more.
      if (!isPlanned && hasPlace()) {
        isPlanned = true;
        setImmediate(start);
      }
    });
}
