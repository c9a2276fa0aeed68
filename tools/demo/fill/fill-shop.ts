/**
 * Fills a shop with the life of a busy month: every order is created, paid and refunded through the real application and
 * real webhooks of the simulator, at its time in the past.
 */

import { createClient } from '../../../client/client.js';
import { commandLine } from '../../../src/domain/audit.ts';
import { addSeconds, type Clock } from '../../../src/domain/time.ts';
import { createAccount } from '../../../src/use-cases/accounts/create-account.ts';
import { createEndpoint } from '../../../src/use-cases/events/endpoints.ts';
import { startLocalServer } from '../../harness/local-server.ts';
import { sellAtTheCounter } from './counter.ts';
import { listDisputeLives } from './live-disputes.ts';
import { liveOrder } from './live-order.ts';
import { during, liveOperator, liveOwner, type Period } from './live-team.ts';
import { type Life, runLives } from './lives.ts';
import type { FillStage, Past } from './open-past.ts';
import { type PlanOptions, planOrders, routes } from './plan-orders.ts';
import { brand } from './tea-shop.ts';

export type FillOptions = PlanOptions & {
  readonly onProgress?: (done: number, total: number) => void;
};

export type FilledShop = Awaited<ReturnType<typeof fillShop>>;

const daySeconds = 24 * 3_600;
/** Long enough for events to be given up, and not for the endpoint to be disabled: that takes five days. */
const brokenDays = 4.7;
const pollSeconds = 12 * 3_600;

/** The clock of the past must show the start of the period: `days` before `until`. */
export async function fillShop(past: Past, options: FillOptions) {
  const { services, baseUrl, clock, simulator, background } = past;
  const { days, until, onProgress = () => {} } = options;
  const period: Period = { from: addSeconds(until, -days * daySeconds), until };
  const { accountId, accessKey, accessSecret } = await createAccount(
    services,
    {
      name: brand.name,
      isSimulated: true,
      paymentModes: routes,
    },
    commandLine,
  );
  const endpoint = await createEndpoint(
    services,
    accountId,
    {
      url: simulator.shop.url,
      events: [],
    },
    commandLine,
  );
  await simulator.shop.trust(endpoint.secret);
  const client = createClient({ baseUrl, accessKey, accessSecret });
  const stage: FillStage = { ...past, accountId, client };
  const warehouse = await openWarehouse(clock.now, addSeconds(until, -brokenDays * daySeconds));
  const endpoints = { shopEndpointId: endpoint.endpointId, warehouseUrl: warehouse.url };
  const plans = planOrders(options);
  let ended = 0;
  const countOrder = () => {
    ended += 1;
    onProgress(ended, plans.length);
  };
  try {
    await runLives(
      {
        clock,
        until,
        settle: async () => {
          await simulator.settled();
          await background.sendEvents();
        },
      },
      [
        ...plans.map((plan) => counted(liveOrder(stage, plan), countOrder)),
        ...listSales(period).map(([at, receipt]) => sellAtTheCounter(stage, at, receipt)),
        ...listDisputeLives(stage, period),
        liveOwner(stage, period, endpoints),
        liveOperator(stage, period),
        liveBackground(stage, period),
        passHours(period),
      ],
    );
    await background.sweep();
  } catch (error) {
    await warehouse.close();
    throw error;
  }
  // The warehouse listens until then.
  return { accountId, accessKey, accessSecret, close: warehouse.close };
}

/** The warehouse answers as it should until its software breaks, and with an error from then on. */
async function openWarehouse(clock: Clock, breaksAt: Date) {
  const { url, close } = await startLocalServer((request, response) => {
    request.resume();
    const isFine = clock() < breaksAt;
    const body = isFine ? { received: true } : { error: 'stock database: connection refused' };
    response.writeHead(isFine ? 200 : 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return { url: `${url}/payment-events`, close };
}

async function* counted(life: Life, onEnded: () => void): Life {
  try {
    yield* life;
  } finally {
    onEnded();
  }
}

/** Sales at the counter: the first one is given up by now, the others still wait. */
function listSales(period: Period): [at: Date, receipt: string][] {
  const { until } = period;
  return [
    [during(period, 0.1), 'COUNTER-0417'],
    [addSeconds(until, -1.2 * daySeconds), 'COUNTER-0452'],
    [addSeconds(until, -5 * 3_600), 'COUNTER-0460'],
    [addSeconds(until, -2_400), 'COUNTER-0463'],
  ];
}

/** Events that failed are sent again when the clock moves on, so it must not stand still while nobody buys. */
async function* passHours({ from, until }: Period): Life {
  for (let at = from; at < until; at = addSeconds(at, 3_600)) yield at;
}

/** What an order needs at a certain minute is part of its own life. */
async function* liveBackground({ background }: FillStage, { from, until }: Period): Life {
  for (let at = from; at < until; at = addSeconds(at, pollSeconds)) {
    yield at;
    await background.pollProviders();
  }
}
