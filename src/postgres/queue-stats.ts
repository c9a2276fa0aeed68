/**
 * Queue stats: the length of each queue in front of the database, the sizes of its batches, where their time goes, and
 * how many items it refused. Plain numbers: the metrics library is not known here.
 */

export type QueueStats = ReturnType<typeof createQueueStats>;

/** Called by a queue as it works. */
export type QueueWatch = ReturnType<QueueStats['addQueue']>;

/**
 * Where the time of a batch goes. `wait`: its first item was queued. `lock` and `fold`: deliveries only. `database`: the
 * rest of its work. `answer`: its callers were answered, after the next batch was sent.
 */
export type BatchStage = 'wait' | 'lock' | 'fold' | 'database' | 'answer';

type Listener = {
  readonly onBatch: (queue: string, size: number) => void;
  readonly onStage: (queue: string, stage: BatchStage, seconds: number) => void;
};

export function createQueueStats() {
  const queues: (() => Record<'waiting' | 'shed', number> & { readonly queue: string })[] = [];
  const listeners: Listener[] = [];
  return {
    addQueue: (queue: string, countWaiting: () => number) => {
      let shed = 0;
      queues.push(() => ({ queue, waiting: countWaiting(), shed }));
      return {
        onBatch: (size: number) => {
          for (const listener of listeners) listener.onBatch(queue, size);
        },
        onStage: (stage: BatchStage, seconds: number) => {
          for (const listener of listeners) listener.onStage(queue, stage, seconds);
        },
        /** An item was refused because the queue was full. */
        onShed: () => {
          shed += 1;
        },
      };
    },
    listQueues: () => queues.map((read) => read()),
    /** Calls the listener for every batch that is sent, and for each of its stages. */
    listen: (listener: Listener) => {
      listeners.push(listener);
    },
  };
}
