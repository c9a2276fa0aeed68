/**
 * Batches over several accounts, whose rows may be on different workers of a Citus cluster. While one worker is away, its
 * accounts are kept out of the batches of the others: one call at a time tries whether the worker is back, and the
 * others of these accounts are refused at once.
 */
import { ServiceError } from '../domain/errors.ts';
import { type BatchOptions, createBatcher, type EndStage, ignoreStage } from './batch.ts';
import { WorkerUnavailable } from './error-classes.ts';
import { databaseLimits } from './limits.ts';

type AccountBatchOptions<Item, Outcome> = BatchOptions<Item, Outcome> & {
  readonly accountOf: (item: Item) => string;
  /** A clock in milliseconds; only differences count. */
  readonly now?: () => number;
};

/** A bound for memory: beyond it the list is emptied, and fills again as calls fail. */
const awayAccountsMax = 10_000;

export function createAccountBatcher<Item, Outcome>({
  accountOf,
  now = () => performance.now(),
  run,
  ...bounds
}: AccountBatchOptions<Item, Outcome>): (item: Item) => Promise<Outcome> {
  /** When the next call of an account may try its worker. */
  const nextTrials = new Map<string, number>();
  let trials = 0;
  const delayTrial = (accountId: string) => {
    if (nextTrials.size >= awayAccountsMax) nextTrials.clear();
    nextTrials.set(accountId, now() + databaseLimits.workerTrialPauseMs);
  };

  const runObserved = async (items: readonly Item[], endStage: EndStage) => {
    const accountIds = new Set(items.map(accountOf));
    try {
      const outcomes = await run(items, endStage);
      for (const accountId of accountIds) nextTrials.delete(accountId);
      return outcomes;
    } catch (error) {
      if (!(error instanceof WorkerUnavailable)) throw error;
      // The batcher retries a batch one by one unless it was refused. That shows whose worker is away.
      if (accountIds.size > 1) throw error.cause;
      for (const accountId of accountIds) delayTrial(accountId);
      throw error;
    }
  };
  const add = createBatcher({ ...bounds, run: runObserved });

  const tryWorker = async (item: Item) => {
    // Bounded: each trial may hold a connection for as long as a statement may take.
    if (trials >= databaseLimits.workerTrialsMax) throw new ServiceError('SERVICE_UNAVAILABLE');
    trials += 1;
    delayTrial(accountOf(item));
    try {
      const [outcome] = await runObserved([item], ignoreStage);
      return outcome as Outcome;
    } finally {
      trials -= 1;
    }
  };

  return (item) => {
    const nextTrial = nextTrials.get(accountOf(item));
    if (nextTrial === undefined) return add(item);
    if (now() < nextTrial) return Promise.reject(new ServiceError('SERVICE_UNAVAILABLE'));
    return tryWorker(item);
  };
}
