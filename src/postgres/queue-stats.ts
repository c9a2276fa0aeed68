/**
 * Queue stats: the length of each queue in front of the database, the sizes of its batches, and how many items it
 * refused. Plain numbers: the metrics library is not known here.
 */

/** Called by a queue as it works. */
export type QueueWatch = {
  readonly onBatch: (size: number) => void;
  readonly onShed: () => void;
};

type QueueCounts = {
  readonly queue: string;
  readonly waiting: number;
  /** Items refused since the start of the process because the queue was full. */
  readonly shed: number;
};

export type QueueStats = {
  readonly addQueue: (queue: string, countWaiting: () => number) => QueueWatch;
  readonly listQueues: () => QueueCounts[];
  /** Calls the listener for every batch that is sent. */
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
