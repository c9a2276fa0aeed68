/**
 * The application in this process, with real HTTP and a clock that starts in the past. Nothing happens in its background
 * by itself: whoever moves the clock also says when the service sweeps, polls, retries and sends events.
 */

import { limits } from '../../src/domain/limits.ts';
import { createMetrics } from '../../src/http/operator/metrics.ts';
import type { Database } from '../../src/postgres/database.ts';
import { buildApp } from '../../src/process/app.ts';
import { createServices } from '../../src/process/create-services.ts';
import { createLog } from '../../src/process/log.ts';
import { providers } from '../../src/providers/providers.ts';
import { allowedNetworksOf } from '../../src/security/endpoint-address.ts';
import type { Services } from '../../src/services/services.ts';
import { listDueEndpoints } from '../../src/store/events/event-deliveries.ts';
import { findWalk } from '../../src/store/reports/slot-cursors.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { retryDue } from '../../src/use-cases/inbox/retry-due.ts';
import { lapseOverdue } from '../../src/use-cases/orders/lapse-overdue.ts';
import { createDuePolls } from '../../src/use-cases/payments/poll-due.ts';
import { sweep } from '../../src/use-cases/upkeep/sweep.ts';
import type { PastClock } from './past-clock.ts';

export type PastService = Awaited<ReturnType<typeof startPastService>>;

type PastServiceParts = {
  readonly database: Database;
  readonly masterKeyHex: string;
  readonly port: number;
  readonly simulatorUrl: string;
  readonly clock: PastClock;
};

export async function startPastService(parts: PastServiceParts) {
  const { database, masterKeyHex, port, simulatorUrl, clock } = parts;
  const host = '127.0.0.1';
  const baseUrl = `http://${host}:${port}`;
  const defects: unknown[] = [];
  const services = createServices({
    database,
    masterKeyHex,
    clock: clock.now,
    settings: {
      publicUrl: baseUrl,
      orderLapseSeconds: 24 * 3600,
      endpointNetworks: allowedNetworksOf([], { loopback: true }),
      simulatorUrl,
    },
    reportDefect: (error) => void defects.push(error),
  });
  await services.tokens.prepare();
  const app = await buildApp({
    services,
    metrics: createMetrics(),
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  await app.listen({ host, port });
  return {
    services,
    baseUrl,
    background: backgroundOf(services),
    close: async () => {
      // Clients keep their connections open.
      app.server.closeAllConnections();
      await app.close();
      if (defects.length > 0) throw defects[0];
    },
  };
}

/** What the background of a service does; each resolves when it is done. */
function backgroundOf(services: Services) {
  const isOver = () => false;
  return {
    /** Until all figures are counted. */
    sweep: async () => {
      const { database } = services;
      do await sweep(services, isOver);
      while ((await findWalk(database, 'figures')).completed === 0);
    },
    lapseOrders: async () => void (await lapseOverdue(services, isOver)),
    pollProviders: async () => {
      for (const { name } of providers) {
        const polls = createDuePolls(services, name);
        while (await polls.startDue()) await polls.settled();
        await polls.settled();
      }
    },
    retryDeliveries: async () => {
      while ((await retryDue(services)) >= limits.retryBatchMax);
    },
    /** Up to ten of each endpoint. */
    sendEvents: async () => {
      // Most of the time nothing is due, and this costs less than a sender.
      if ((await listDueEndpoints(services.database, services.clock())).length === 0) return;
      const deliveries = createEventDeliveries(services);
      await deliveries.startDue();
      await deliveries.stop();
    },
  };
}
