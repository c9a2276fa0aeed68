/**
 * Background work on PostgreSQL with pg-boss: every process offers itself, each job is done once.
 * What is due stands in our own tables; a job that is lost is made good by the next sweep.
 */
import { type Job, PgBoss } from 'pg-boss';
import type { ProviderName } from './domain/provider-name.ts';
import type { Log } from './log.ts';
import { jobDatabase } from './postgres/job-database.ts';
import { providers } from './providers/providers.ts';
import type { Services } from './services/services.ts';
import { retryAndUnpark } from './use-cases/inbox/retry-and-unpark.ts';
import { sweep } from './use-cases/maintenance/sweep.ts';
import { pollProvider } from './use-cases/payments/poll-provider.ts';

export type Background = { readonly stop: () => Promise<void> };

const retryQueue = 'retry-delivery';
const sweepQueue = 'sweep';
const firstSweepQueue = 'first-sweep';
const everyMinute = '* * * * *';

/** A job whose process died is given up soon, so that it does not stand in the way of the next. */
const jobSettings = { expireInSeconds: 60, deleteAfterSeconds: 60, retryLimit: 0 };

const pollQueueOf = (provider: ProviderName): string => `ask-${provider}`;

type RetryJob = { readonly accountId: string; readonly deliveryId: string };
type PollJob = { readonly accountId: string; readonly transactionId: string };

export async function startBackground(services: Services, log: Log): Promise<Background> {
  const boss = new PgBoss({ db: jobDatabase(services.database) });
  boss.on('error', (error) => log.warn({ err: error }, 'background'));
  await boss.start();
  const stop = () => boss.stop({ graceful: true, timeout: 3_000 });
  try {
    const stopScheduling = await takeUpWork(boss, services, log);
    return {
      stop: () => {
        stopScheduling();
        return stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns how to stop planning. */
async function takeUpWork(boss: PgBoss, services: Services, log: Log): Promise<() => void> {
  // One job waits for a delivery at a time; a sweep that takes long is not joined by another.
  await boss.createQueue(retryQueue, { policy: 'short', ...jobSettings });
  await boss.createQueue(sweepQueue, { policy: 'exclusive', ...jobSettings });
  // A sweep whose process was killed counts as running for a minute or two, and is not waited for.
  await boss.createQueue(firstSweepQueue, { policy: 'short', ...jobSettings });
  await boss.work<RetryJob>(
    retryQueue,
    { batchSize: 10, pollingIntervalSeconds: 0.5 },
    async (jobs: Job<RetryJob>[]) => {
      // One that fails was noted with its delivery and must not keep the others from their turn.
      for (const { data } of jobs) {
        await retryAndUnpark(services, data.accountId, data.deliveryId).catch(() => undefined);
      }
    },
  );
  // A queue for each: one provider that hangs must not make the others wait.
  for (const { name } of providers) {
    await boss.createQueue(pollQueueOf(name), { policy: 'short', ...jobSettings });
    await boss.work<PollJob>(
      pollQueueOf(name),
      { batchSize: 20, pollingIntervalSeconds: 0.5 },
      async (jobs: Job<PollJob>[]) => {
        await Promise.all(
          jobs.map(({ data }) =>
            pollProvider(services, data).catch((error: unknown) =>
              log.warn({ err: error }, 'asking a provider is left to the sweep'),
            ),
          ),
        );
      },
    );
  }
  for (const queue of [sweepQueue, firstSweepQueue]) {
    await boss.work(queue, { pollingIntervalSeconds: 2 }, () => sweep(services));
  }
  await boss.schedule(sweepQueue, everyMinute);
  // What was left behind by a process that ended is taken up at once.
  await boss.send(firstSweepQueue, {});
  // One after the other: jobs must not take the connections of those who serve.
  let sending: Promise<unknown> = Promise.resolve();
  const send = (
    queue: string,
    data: RetryJob | PollJob,
    startAfter: Date,
    singletonKey: string,
  ) => {
    sending = sending
      .then(() => boss.send(queue, data, { startAfter, singletonKey }))
      .catch((error: unknown) => log.warn({ err: error }, 'a job is left to the sweep'));
  };
  const stopRetries = services.retries.listen(({ accountId, deliveryId, at }) =>
    send(retryQueue, { accountId, deliveryId }, at, deliveryId),
  );
  const stopPolls = services.polls.listen(({ accountId, transactionId, provider, at }) =>
    send(pollQueueOf(provider), { accountId, transactionId }, at, transactionId),
  );
  return () => {
    stopRetries();
    stopPolls();
  };
}
