/**
 * How busy the way to the database is: what waits, what left together, what was turned away. Plain numbers, so
 * that nothing here knows who measures.
 */

/** Told by a queue as it works. */
export type QueueWatch = {
  readonly onBatch: (size: number) => void;
  readonly onShed: () => void;
};

export type QueueCounts = {
  readonly queue: string;
  readonly waiting: number;
  /** Turned away since the start because the queue was full. */
  readonly shed: number;
};

export type QueueStats = {
  readonly addQueue: (queue: string, countWaiting: () => number) => QueueWatch;
  readonly listQueues: () => QueueCounts[];
  /** Hears of every batch that leaves. */
  readonly listen: (listener: BatchListener) => void;
};

type BatchListener = (queue: string, size: number) => void;

export function createQueueStats(): QueueStats {
  const queues: (() => QueueCounts)[] = [];
  const listeners: BatchListener[] = [];
  return {
    addQueue: (queue, countWaiting) => {
      let shed = 0;
      queues.push(() => ({ queue, waiting: countWaiting(), shed }));
      return {
        onBatch: (size) => {
          for (const listener of listeners) listener(queue, size);
        },
        onShed: () => {
          shed += 1;
        },
      };
    },
    listQueues: () => queues.map((read) => read()),
    listen: (listener) => {
      listeners.push(listener);
    },
  };
}
