/**
 * Background work of a process. Due retries and polls are rows of our own tables: loops claim them in batches, and every
 * process may run them. pg-boss decides which process sweeps, once a minute.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ConstructorOptions, PgBoss } from 'pg-boss';
import { limits } from '../domain/limits.ts';
import { jobDatabase } from '../postgres/job-database.ts';
import { providers } from '../providers/providers.ts';
import type { Services } from '../services/services.ts';
import { findJobSchema } from '../store/upkeep/job-schema.ts';
import { oneAtATime } from '../store/upkeep/schema-lock.ts';
import { createEventDeliveries } from '../use-cases/events/deliver-events.ts';
import { retryDue } from '../use-cases/inbox/retry-due.ts';
import { createDuePolls } from '../use-cases/payments/poll-due.ts';
import { sweep } from '../use-cases/upkeep/sweep.ts';
import { type BackgroundLoop, startLoop } from './background-loop.ts';
import type { Log } from './log.ts';

export type Background = { readonly stop: () => Promise<void> };

const sweepQueue = 'sweep';
const firstSweepQueue = 'first-sweep';
const everyMinute = '* * * * *';

/** A job whose process died expires soon, so that it does not block the next one. */
const jobSettings = { expireInSeconds: 60, deleteAfterSeconds: 60, retryLimit: 0 };

/** Earlier releases had a job for each retry and each poll. */
const formerQueues = ['retry-delivery', ...providers.map(({ name }) => `ask-${name}`)];

const stopMsMax = 3_000;
/** Then the job library still has to mark the sweep as failed, which a database that hangs must not delay. */
const sweepStopMsMax = 2_000;

export async function startBackground(services: Services, log: Log): Promise<Background> {
  const schema = await prepareQueues(services, log);
  const boss = openBoss(services, log, { schema });
  await boss.start();
  let isEnding = false;
  const stopSweeps = () => {
    isEnding = true;
    return boss.stop({ graceful: true, timeout: sweepStopMsMax });
  };
  try {
    await workOnSweeps(boss, services, () => isEnding);
  } catch (error) {
    await stopSweeps();
    throw error;
  }
  const loops = [startRetries(services), ...startPolls(services, log), startEvents(services)];
  return {
    stop: async () => {
      await Promise.all([{ stop: stopSweeps }, ...loops].map(stopInTime));
    },
  };
}

function openBoss({ maintenance }: Services, log: Log, options: ConstructorOptions): PgBoss {
  const boss = new PgBoss({ db: jobDatabase(maintenance), ...options });
  boss.on('error', (error) => log.warn({ err: error }, 'background'));
  return boss;
}

/**
 * Creates the schema and the queues of the job library, and returns the name of the schema. A start does it first: if
 * the library fails later, it cannot be stopped, and its timers would stay behind after every try.
 */
export async function prepareQueues(services: Services, log: Log): Promise<string> {
  const schema = await findJobSchema(services.maintenance);
  const boss = openBoss(services, log, { schema, supervise: false, schedule: false });
  await install(boss, services);
  try {
    for (const queue of formerQueues) await boss.deleteQueue(queue);
    // `exclusive`: no sweep is queued while another runs.
    await boss.createQueue(sweepQueue, { policy: 'exclusive', ...jobSettings });
    // The sweep of a killed process counts as running until it expires, so the first sweep has its own queue.
    await boss.createQueue(firstSweepQueue, { policy: 'short', ...jobSettings });
  } finally {
    await boss.stop({ graceful: false });
  }
  return schema;
}

/** The first start creates the schema of pg-boss, which fails in all but one of several processes that try at once. */
async function install(boss: PgBoss, { maintenance }: Services): Promise<void> {
  const start = async () => {
    await boss.start();
  };
  await ((await boss.isInstalled()) ? start() : oneAtATime(maintenance, start));
}

type Stoppable = Pick<BackgroundLoop, 'stop'>;

/** What is still running is claimed again when its next try or poll is due, or done by the next sweep. */
async function stopInTime({ stop }: Stoppable): Promise<void> {
  await Promise.race([stop(), delay(stopMsMax, undefined, { ref: false })]);
}

function startRetries(services: Services): Stoppable {
  const { backgroundReports } = services;
  const round = async () => (await retryDue(services)) >= limits.retryBatchMax;
  // Nobody waits for these: an order that appears applies its deliveries itself. A million that are due at once, because
  // they belong to other businesses, must not slow down requests.
  return startLoop('retries', backgroundReports, round, { restShare: 4 });
}

/** One loop per provider, so that a provider that hangs does not delay the others. */
function startPolls(services: Services, log: Log): Stoppable[] {
  const { backgroundReports } = services;
  return providers.map(({ name }) => {
    const polls = createDuePolls(services, name, {
      onRoom: () => loop.wake(),
      onError: (error, { transactionId }) =>
        log.warn(
          { err: error, transactionId },
          'a poll of a provider failed; it is repeated later',
        ),
    });
    const loop = startLoop(`polls-${name}`, backgroundReports, polls.startDue);
    return {
      stop: async () => {
        await loop.stop();
        await polls.settled();
      },
    };
  });
}

/** Events are sent when they are stored. The loop finds those whose next attempt is due, and those of other processes. */
function startEvents(services: Services): Stoppable {
  const deliveries = createEventDeliveries(services);
  services.eventSignal.listen(deliveries.startDeliveries);
  const loop = startLoop('events', services.backgroundReports, deliveries.startDue);
  return {
    stop: async () => {
      await loop.stop();
      await deliveries.stop();
    },
  };
}

async function workOnSweeps(
  boss: PgBoss,
  services: Services,
  isEnding: () => boolean,
): Promise<void> {
  for (const queue of [sweepQueue, firstSweepQueue]) {
    await boss.work(queue, { pollingIntervalSeconds: 2 }, () =>
      sweep({ ...services, database: services.maintenance }, isEnding),
    );
  }
  await boss.schedule(sweepQueue, everyMinute);
  // Takes up the work of a process that ended, without waiting for the next minute.
  await boss.send(firstSweepQueue, {});
}
