/**
 * Queue stats: the length of each queue in front of the database, the sizes of its batches, and how many items it
 * refused. Plain numbers: the metrics library is not known here.
 */

export type QueueStats = ReturnType<typeof createQueueStats>;

/** Called by a queue as it works. */
export type QueueWatch = ReturnType<QueueStats['addQueue']>;

type BatchListener = (queue: string, size: number) => void;

export function createQueueStats() {
  const queues: (() => Record<'waiting' | 'shed', number> & { readonly queue: string })[] = [];
  const listeners: BatchListener[] = [];
  return {
    addQueue: (queue: string, countWaiting: () => number) => {
      let shed = 0;
      queues.push(() => ({ queue, waiting: countWaiting(), shed }));
      return {
        onBatch: (size: number) => {
          for (const listener of listeners) listener(queue, size);
        },
        /** An item was refused because the queue was full. */
        onShed: () => {
          shed += 1;
        },
      };
    },
    listQueues: () => queues.map((read) => read()),
    /** Calls the listener for every batch that is sent. */
    listen: (listener: BatchListener) => {
      listeners.push(listener);
    },
  };
}
