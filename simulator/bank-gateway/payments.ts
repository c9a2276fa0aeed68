/** What happens at the gateway when the consumer acts on the payment page. */
import { behaviourOf } from '../behaviours.ts';
import type { Scenario } from '../scenario.ts';
import { type Action, decideOutcome, type Outcome } from '../scenarios.ts';
import type { GatewayShop } from '../shops.ts';
import { texts } from '../wire.ts';
import type { World } from '../world.ts';
import { courses } from './courses.ts';
import { followCourse } from './follow-course.ts';
import { moveMoney } from './move-money.ts';
import { gatewayNotification } from './notification.ts';
import {
  type GatewayOrder,
  type GatewaySession,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
  withTransaction,
} from './state.ts';
import { isApproved } from './totals.ts';

/** The delay after which a payment that was reported as failed succeeds. */
const lateAfterMs = 60_000;

/** The partner's names of decline reasons, so that one scenario works for both providers. */
const gatewayCodes: Readonly<Record<string, string>> = {
  CARD_DECLINED: 'DECLINED',
  PAYMENT_DECLINED: 'DECLINED',
  PAYMENT_TIMED_OUT: 'TIMED_OUT',
  CARD_EXPIRED: 'EXPIRED_CARD',
  INCORRECT_CVV: 'INVALID_CSC',
  PAYMENT_RISK_CHECK_FAILED: 'BLOCKED',
  GATEWAY_TECHNICAL_ERROR: 'SYSTEM_ERROR',
};

/** Does nothing for an unknown session or an order that is already paid. */
export async function actAtGateway(
  world: World,
  state: GatewayState,
  sessionId: string,
  action: Action,
): Promise<void> {
  const session = state.sessions.get(sessionId);
  const shop = await world.shops.findGateway(session?.merchantId ?? '');
  if (!session || !shop) return;
  const key = orderKey(session.merchantId, session.orderId);
  const before = state.orders.get(key) ?? newOrder(world, session);
  if (isApproved(before)) return;

  const scenario = world.scenarios.of(referencesOf(before));
  const triesBefore = before.transactions.filter(({ type }) => type === 'AUTHENTICATION').length;
  const outcome = decideOutcome(scenario, action, triesBefore);
  let order = before;
  const notifications = attempt(world, order, triesBefore + 1, outcome, scenario).map(
    (transaction) => {
      order = withTransaction(order, transaction);
      moveMoney(world, order, transaction);
      const { type, result, gatewayCode } = transaction;
      world.log(`bank-gateway: ${type} ${order.id}|${transaction.id} ${result} ${gatewayCode}`);
      return gatewayNotification(world, shop, order, transaction);
    },
  );
  state.orders.set(key, order);
  world.webhooks.post(key, notifications, scenario);
  if (outcome === 'declined-then-paid') captureLater(world, state, shop, order, scenario);
  if (outcome === 'paid') {
    const course = { ...courses[behaviourOf(scenario).gateway], firstId: triesBefore + 1 };
    followCourse(world, state, shop, order, course, scenario);
  }
}

function referencesOf({ id, reference }: Pick<GatewayOrder, 'id' | 'reference'>): string[] {
  return texts(id, reference);
}

function newOrder(world: World, session: GatewaySession): GatewayOrder {
  const { merchantId, amount, currency, reference, description } = session;
  const { notificationUrl, apiVersion } = session;
  return {
    id: session.orderId,
    ...{ merchantId, amount, currency, reference, description, notificationUrl, apiVersion },
    creationTime: new Date(world.now()).toISOString(),
    transactions: [],
  };
}

/** An attempt is an authentication and, if it succeeds, a payment or an authorisation. */
function attempt(
  world: World,
  { amount, currency }: GatewayOrder,
  number: number,
  outcome: Outcome,
  scenario: Scenario,
): GatewayTransaction[] {
  const now = new Date(world.now()).toISOString();
  const times = { timeOfRecord: now, timeOfLastUpdate: now };
  const isGood = outcome === 'paid';
  const reason = (scenario.reason ?? 'INSUFFICIENT_FUNDS').toUpperCase();
  const failure = outcome === 'cancelled' ? 'CANCELLED' : (gatewayCodes[reason] ?? reason);
  const gatewayCode = isGood ? 'APPROVED' : failure;
  const isProven = gatewayCode !== 'AUTHENTICATION_FAILED' || outcome === 'declined-then-paid';
  const authentication: GatewayTransaction = {
    id: `auth-${number}`,
    type: 'AUTHENTICATION',
    result: isProven ? 'SUCCESS' : 'FAILURE',
    gatewayCode: isProven ? 'APPROVED' : gatewayCode,
    amount,
    currency,
    ...times,
  };
  const payment: GatewayTransaction = {
    id: String(number),
    type: courses[behaviourOf(scenario).gateway].opens,
    result: isGood ? 'SUCCESS' : 'FAILURE',
    gatewayCode,
    amount,
    currency,
    ...times,
  };
  return isProven ? [authentication, payment] : [authentication];
}

function captureLater(
  world: World,
  state: GatewayState,
  shop: GatewayShop,
  { merchantId, id, transactions }: GatewayOrder,
  scenario: Scenario,
): void {
  const failed = transactions.at(-1);
  if (!failed) return;
  world.schedule.run(async () => {
    await world.schedule.wait(lateAfterMs, scenario.delayMs);
    const key = orderKey(merchantId, id);
    const order = state.orders.get(key);
    // Another attempt may have paid in the meantime; the consumer must not be charged twice.
    if (!order || isApproved(order)) return;
    const paid: GatewayTransaction = {
      ...failed,
      result: 'SUCCESS',
      gatewayCode: 'APPROVED',
      timeOfLastUpdate: new Date(world.now()).toISOString(),
    };
    const updated = withTransaction(order, paid);
    state.orders.set(key, updated);
    moveMoney(world, updated, paid, true);
    world.log(`bank-gateway: PAYMENT ${id}|${paid.id} SUCCESS after all`);
    world.webhooks.post(key, [gatewayNotification(world, shop, updated, paid)], scenario);
  });
}
