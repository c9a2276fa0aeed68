/**
 * Group commit: what waits together goes to the database together, in one statement and one commit, and
 * each still gets its own outcome. Nothing waits while the database is idle: a batch is as large as what
 * came while the one before it was under way.
 */
import { ServiceError } from '../domain/errors.ts';

export type BatchOptions<Item, Outcome> = {
  /** Outcomes in the order of the items. */
  readonly run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  readonly sizeMax: number;
  /** Batches under way at once. */
  readonly atOnceMax: number;
  /** What waits beyond this is shed: a queue that only grows helps nobody. Decision 8.2. */
  readonly queueMax: number;
};

type Waiting<Item, Outcome> = {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

export function createBatcher<Item, Outcome>(
  options: BatchOptions<Item, Outcome>,
): (item: Item) => Promise<Outcome> {
  const { run, sizeMax, atOnceMax, queueMax } = options;
  const queue: Waiting<Item, Outcome>[] = [];
  let underWay = 0;
  let isPlanned = false;

  const runOne = async (batch: readonly Waiting<Item, Outcome>[]) => {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      if (outcomes.length !== batch.length) throw new Error('a batch lost an outcome');
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as Outcome);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof ServiceError)) runEach(batch);
      else for (const { reject } of batch) reject(error);
    }
  };
  /** One bad item must neither fail nor hold up its neighbours, so each is tried by itself, beside the rest. */
  const runEach = (batch: readonly Waiting<Item, Outcome>[]) => {
    for (const waiting of batch) void runOne([waiting]);
  };
  const start = () => {
    isPlanned = false;
    while (underWay < atOnceMax && queue.length > 0) {
      underWay += 1;
      void runOne(queue.splice(0, sizeMax)).finally(() => {
        underWay -= 1;
        start();
      });
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      if (queue.length >= queueMax) {
        reject(new ServiceError('SERVICE_UNAVAILABLE'));
        return;
      }
      queue.push({ item, resolve, reject });
      // After everything that has just arrived was read, and without waiting for any more.
      if (!isPlanned && underWay < atOnceMax) {
        isPlanned = true;
        setImmediate(start);
      }
    });
}
