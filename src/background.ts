/**
 * Background jobs with pg-boss on PostgreSQL: every process takes jobs, and each job runs once. Our own tables say what is
 * due; if a job is lost, the next sweep does its work.
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

/** A job whose process died expires soon, so that it does not block the next one. */
const jobSettings = { expireInSeconds: 60, deleteAfterSeconds: 60, retryLimit: 0 };

/** Existing databases have queues of this name. */
const pollQueueOf = (provider: ProviderName): string => `ask-${provider}`;

type RetryJob = { readonly accountId: string; readonly deliveryId: string };
type PollJob = { readonly accountId: string; readonly transactionId: string };

export async function startBackground(services: Services, log: Log): Promise<Background> {
  const boss = new PgBoss({ db: jobDatabase(services.database) });
  boss.on('error', (error) => log.warn({ err: error }, 'background'));
  await boss.start();
  const stop = () => boss.stop({ graceful: true, timeout: 3_000 });
  try {
    await workOnRetries(boss, services);
    await workOnPolls(boss, services, log);
    await workOnSweeps(boss, services);
    const stopScheduling = scheduleJobs(boss, services, log);
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

async function workOnRetries(boss: PgBoss, services: Services): Promise<void> {
  // `short`: at most one queued job per delivery.
  await boss.createQueue(retryQueue, { policy: 'short', ...jobSettings });
  await boss.work<RetryJob>(
    retryQueue,
    { batchSize: 10, pollingIntervalSeconds: 0.5 },
    async (jobs: Job<RetryJob>[]) => {
      // A failure is stored with its delivery already, and must not stop the other jobs.
      for (const { data } of jobs) {
        await retryAndUnpark(services, data.accountId, data.deliveryId).catch(() => undefined);
      }
    },
  );
}

/** One queue per provider, so that a provider that hangs does not delay the others. */
async function workOnPolls(boss: PgBoss, services: Services, log: Log): Promise<void> {
  for (const { name } of providers) {
    await boss.createQueue(pollQueueOf(name), { policy: 'short', ...jobSettings });
    await boss.work<PollJob>(
      pollQueueOf(name),
      { batchSize: 20, pollingIntervalSeconds: 0.5 },
      async (jobs: Job<PollJob>[]) => {
        await Promise.all(
          jobs.map(({ data }) =>
            pollProvider(services, data).catch((error: unknown) =>
              log.warn({ err: error }, 'a poll of a provider failed; the next sweep polls again'),
            ),
          ),
        );
      },
    );
  }
}

async function workOnSweeps(boss: PgBoss, services: Services): Promise<void> {
  // `exclusive`: no sweep is queued while another runs.
  await boss.createQueue(sweepQueue, { policy: 'exclusive', ...jobSettings });
  // The sweep of a killed process counts as running until it expires, so the first sweep has its own queue.
  await boss.createQueue(firstSweepQueue, { policy: 'short', ...jobSettings });
  for (const queue of [sweepQueue, firstSweepQueue]) {
    await boss.work(queue, { pollingIntervalSeconds: 2 }, () => sweep(services));
  }
  await boss.schedule(sweepQueue, everyMinute);
  // Takes up the work of a process that ended, without waiting for the next minute.
  await boss.send(firstSweepQueue, {});
}

/** Queues a job for every retry and poll that a request schedules. Returns how to stop. */
function scheduleJobs(boss: PgBoss, services: Services, log: Log): () => void {
  // One send at a time, so that jobs never take more than one of the connections that requests need.
  let sending: Promise<unknown> = Promise.resolve();
  const send = (
    queue: string,
    data: RetryJob | PollJob,
    startAfter: Date,
    singletonKey: string,
  ) => {
    sending = sending
      .then(() => boss.send(queue, data, { startAfter, singletonKey }))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'a job could not be queued; the next sweep does its work'),
      );
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
