/** Background work: the loops of every process claim due rows in batches, and one process sweeps (`sweep-loop.ts`). */
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../domain/limits.ts';
import { providers } from '../providers/providers.ts';
import type { Services } from '../services/services.ts';
import { createEventDeliveries } from '../use-cases/events/deliver-events.ts';
import { retryDue } from '../use-cases/inbox/retry-due.ts';
import { createDuePolls } from '../use-cases/payments/poll-due.ts';
import { type BackgroundLoop, startLoop } from './background-loop.ts';
import type { Log } from './log.ts';
import { startSweeps } from './sweep-loop.ts';

export type Background = Pick<BackgroundLoop, 'stop'>;

const stopMsMax = 3_000;

export async function startBackground(services: Services, log: Log): Promise<Background> {
  const sweeps = await startSweeps(services);
  const loops = [startRetries(services), ...startPolls(services, log), startEvents(services)];
  return {
    stop: async () => {
      await Promise.all([sweeps, ...loops].map(stopInTime));
    },
  };
}

/** What is still running is claimed again when its next try or poll is due, or done by the next sweep. */
async function stopInTime({ stop }: Background): Promise<void> {
  await Promise.race([stop(), delay(stopMsMax, undefined, { ref: false })]);
}

function startRetries(services: Services): Background {
  const { backgroundReports } = services;
  const round = async () => (await retryDue(services)) >= limits.retryBatchMax;
  // Nobody waits for these: an order that appears applies its deliveries itself. A million that are due at once, because
  // they belong to other businesses, must not slow down requests.
  return startLoop('retries', backgroundReports, round, { restShare: 4 });
}

/** One loop per provider, so that a provider that hangs does not delay the others. */
function startPolls(services: Services, log: Log): Background[] {
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
function startEvents(services: Services): Background {
  const deliveries = createEventDeliveries(services);
  services.announcer.listen(deliveries.startDeliveries);
  const loop = startLoop('events', services.backgroundReports, deliveries.startDue);
  return {
    stop: async () => {
      await loop.stop();
      await deliveries.stop();
    },
  };
}
