/** The simulator as a library: both providers on one HTTP address, with functions to control them. */
import Fastify, { type FastifyInstance } from 'fastify';
import type { Call } from './api-call.ts';
import { addGatewayApi } from './bank-gateway/api.ts';
import { addGatewayCheckout } from './bank-gateway/checkout.ts';
import {
  gatewayDisputesInLedger,
  gatewayPaymentsInLedger,
  gatewayRefundsInLedger,
} from './bank-gateway/ledger.ts';
import { actAtGateway } from './bank-gateway/payments.ts';
import { refundAtGatewayPortal } from './bank-gateway/refunds.ts';
import { createGatewayState, type GatewayState, openSessionsOf } from './bank-gateway/state.ts';
import { behaviourOf } from './behaviours.ts';
import { openCallCounts } from './call-counts.ts';
import { addControlApi, type Ledger } from './control-api.ts';
import { addDisputeControl, openDisputes } from './disputes.ts';
import { type FaultOf, faultsByScenario } from './faults.ts';
import { addHoldControl, openHolds } from './holds.ts';
import { openMoney } from './money-moved.ts';
import { addPartnerApi } from './partner/api.ts';
import { addCaptureApi } from './partner/capture-api.ts';
import { addPartnerCheckout } from './partner/checkout.ts';
import { addIntentApi } from './partner/intent-api.ts';
import { actAtPartner, answerIntent } from './partner/payments.ts';
import { refundAtPartnerDashboard } from './partner/refunds.ts';
import {
  createPartnerState,
  openOrdersOf,
  type PartnerState,
  partnerDisputesInLedger,
  partnerPaymentsInLedger,
  partnerRefundsInLedger,
} from './partner/state.ts';
import { addUpiApp } from './partner/upi-app.ts';
import type { Scenario } from './scenario.ts';
import { type Action, openScenarios } from './scenarios.ts';
import { openSchedule, type Schedule } from './schedule.ts';
import { addShop, eventsPath } from './shop/api.ts';
import { openShopInbox, type ReceivedEvent } from './shop/inbox.ts';
import { type FindShop, openShops } from './shops.ts';
import { openStartCalls, type StartCalls } from './start-call.ts';
import { openWebhookSender, type WebhookSender } from './webhook-sender.ts';
import { Refusal } from './wire.ts';
import type { World } from './world.ts';

export type { Call } from './api-call.ts';
export type { ScenarioName } from './behaviours.ts';
export type { Ledger } from './control-api.ts';
export type { Movement } from './money-moved.ts';
export type { Scenario } from './scenario.ts';
export type { Action } from './scenarios.ts';
export type { ReceivedEvent } from './shop/inbox.ts';
export type { Shop } from './shops.ts';
export {
  type LedgerDispute,
  type LedgerPayment,
  type LedgerRefund,
  paysInFull,
} from './world.ts';

export type SimulatorOptions = {
  /** 0, the default, chooses a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Determines everything random. */
  readonly seed?: number;
  /** 1 = the providers' real delays; 0.001 = a thousand times faster. */
  readonly timeScale?: number;
  /** The default for payments and refunds. */
  readonly scenario?: Scenario;
  /** Finds a shop that is not registered, by partner key id or gateway merchant id. */
  readonly findShop?: FindShop;
  /** Called after an API call took effect and before it is answered. */
  readonly beforeAnswer?: (call: Call) => Promise<void>;
  /** Decides what goes wrong with each API call, instead of the scenarios. */
  readonly faultOf?: FaultOf;
  /** By how much lists lag behind for these references, instead of what the scenarios say. */
  readonly lagMsOf?: World['lagMsOf'];
  /** Waits in place of real timers. */
  readonly schedule?: Schedule;
  /** Sends the webhooks in place of the usual sender. */
  readonly webhooks?: WebhookSender;
  /** Receives one readable line per API call, payment and webhook attempt. */
  readonly log?: (line: string) => void;
  /** Milliseconds since 1970, for the times in the records. */
  readonly now?: () => number;
};

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

const linesKept = 50;

export async function startSimulator(options: SimulatorOptions = {}) {
  const lines: string[] = [];
  const world = openWorld(options, lines);
  const partner = createPartnerState();
  const gateway = createGatewayState();
  const ledger = () => ledgerOf(partner, gateway);

  const app = openServer(world.log);
  const counts = openCallCounts();
  const answerStart = openStartCalls(world, counts);
  addPartner(app, world, partner, answerStart);
  addGatewayApi(app, world, gateway, answerStart);
  addGatewayCheckout(app, world, gateway);
  addControlApi(app, world, { ledger, calls: counts.list }, lines);
  const disputes = openDisputes(world, partner, gateway);
  addDisputeControl(app, disputes, ledger);
  const holds = openHolds(world, partner, gateway);
  addHoldControl(app, holds, ledger);
  const inbox = openShopInbox(world.now);
  addShop(app, world, inbox);
  const { port = 0, host = '127.0.0.1' } = options;
  const url = await app.listen({ port, host });

  return {
    url,
    register: world.shops.register,
    /** Applies to everything from now on. */
    setScenario: world.scenarios.set,
    /** Applies to one of our transactions or orders, by its id. */
    setScenarioFor: world.scenarios.setFor,
    /** The consumer acts on the payment page of a partner order or gateway session, or answers an intent, by its id. */
    pay: (checkoutId: string, action: Action = 'pay') =>
      act(world, partner, gateway, checkoutId, action),
    /** The checkouts of one of our orders that wait for the consumer, also those whose answer was lost. */
    checkoutsOf: (orderId: string) => [
      ...openOrdersOf(partner, orderId),
      ...openSessionsOf(gateway, orderId),
    ],
    /** Refunds a payment on the provider's own pages: the service is not asked. False if that is impossible. */
    refundElsewhere: (paymentId: string, amount: number) =>
      partner.payments.has(paymentId)
        ? refundAtPartnerDashboard(world, partner, paymentId, amount)
        : refundAtGatewayPortal(world, gateway, paymentId, amount),
    disputes,
    holds,
    /** How often each payment was asked for, captured, voided or refunded by a call of the shop. */
    calls: counts.list,
    /** Waits until every webhook is acknowledged, given up or lost. */
    settled: world.schedule.settled,
    /** What happened at the providers. */
    ledger,
    /** The money that moved, in the order in which it did. */
    moved: world.money.moved,
    /** A shop that receives the events of the service, at this URL. */
    shop: {
      url: `${url}${eventsPath}`,
      trust: inbox.trust,
      events: (): readonly ReceivedEvent[] => inbox.events(),
    },
    close: async () => {
      // First, so that a slow call is cut off instead of being answered early.
      app.server.closeAllConnections();
      await world.schedule.stop();
      await app.close();
    },
  };
}

function addPartner(
  app: FastifyInstance,
  world: World,
  state: PartnerState,
  answerStart: StartCalls,
): void {
  addPartnerApi(app, world, state, answerStart);
  addPartnerCheckout(app, world, state);
  addIntentApi(app, world, state, answerStart);
  addCaptureApi(app, world, state, answerStart);
  addUpiApp(app, world, state);
}

async function act(
  world: World,
  partner: PartnerState,
  gateway: GatewayState,
  checkoutId: string,
  action: Action,
): Promise<void> {
  if (partner.orders.has(checkoutId)) await actAtPartner(world, partner, checkoutId, action);
  else if (partner.payments.has(checkoutId)) {
    await answerIntent(world, partner, checkoutId, action);
  } else if (gateway.sessions.has(checkoutId)) {
    await actAtGateway(world, gateway, checkoutId, action);
  } else throw new Error(`there is no checkout ${checkoutId}`);
}

function ledgerOf(partner: PartnerState, gateway: GatewayState): Ledger {
  return {
    payments: [...partnerPaymentsInLedger(partner), ...gatewayPaymentsInLedger(gateway)],
    refunds: [...partnerRefundsInLedger(partner), ...gatewayRefundsInLedger(gateway)],
    disputes: [...partnerDisputesInLedger(partner), ...gatewayDisputesInLedger(gateway)],
  };
}

function openWorld(options: SimulatorOptions, lines: string[]): World {
  const { seed = 1, timeScale = 1, scenario = { name: 'happy' } } = options;
  const log = (line: string) => {
    lines.push(line);
    if (lines.length > linesKept) lines.shift();
    options.log?.(line);
  };
  const { schedule = openSchedule(timeScale, log), now = Date.now } = options;
  const scenarios = openScenarios(seed, scenario);
  return {
    seed,
    now,
    log,
    shops: openShops(options.findShop),
    scenarios,
    schedule,
    webhooks: options.webhooks ?? openWebhookSender(seed, schedule, log),
    beforeAnswer: options.beforeAnswer ?? (async () => undefined),
    faultOf: options.faultOf ?? faultsByScenario(scenarios),
    lagMsOf: options.lagMsOf ?? ((references) => lagMsBy(scenarios.of(references), timeScale)),
    money: openMoney(now),
  };
}

/** Longer than most polls take to follow a call. */
const usualLagMs = 90_000;

function lagMsBy(scenario: Scenario, timeScale: number): number {
  if (behaviourOf(scenario).lists === 'current') return 0;
  return scenario.lagMs ?? usualLagMs * timeScale;
}

function openServer(log: World['log']): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true });
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const { status, body } =
      error instanceof Refusal
        ? error
        : { status: error.statusCode ?? 500, body: { error: { description: error.message } } };
    log(`refused: ${request.method} ${request.url} → ${status} ${error.message}`);
    return reply.code(status).send(body);
  });
  return app;
}
