/** What happens at the gateway when the consumer acts on the payment page. */
import { behaviourOf } from '../behaviours.ts';
import { type Action, decideOutcome, type Outcome } from '../scenarios.ts';
import { texts } from '../wire.ts';
import type { World } from '../world.ts';
import { type Course, courses } from './courses.ts';
import { followCourse } from './follow-course.ts';
import { type Saving, saveTransactions } from './save-transactions.ts';
import {
  type GatewayOrder,
  type GatewaySession,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
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
  const known = state.orders.get(orderKey(session.merchantId, session.orderId));
  const before = known ?? newOrder(world, session);
  if (isApproved(before)) return;

  const scenario = world.scenarios.of(texts(before.id, before.reference));
  const triesBefore = before.transactions.filter(({ type }) => type === 'AUTHENTICATION').length;
  const outcome = decideOutcome(scenario, action, triesBefore);
  const saving = { world, state, shop, scenario };
  const course = { ...courses[behaviourOf(scenario).gateway], firstId: triesBefore + 1 };
  const type = session.isHeld ? 'AUTHORIZATION' : course.opens;
  const transactions = attempt(saving, before, course.firstId, outcome, type);
  const order = saveTransactions(saving, before, transactions);
  if (outcome === 'declined-then-paid') approveLater(saving, order);
  if (outcome === 'paid') followCourse(saving, order, course);
}

function newOrder(world: World, session: GatewaySession): GatewayOrder {
  const { merchantId, amount, currency, reference, description } = session;
  const { notificationUrl, apiVersion } = session;
  return {
    id: session.orderId,
    merchantId,
    amount,
    currency,
    reference,
    description,
    notificationUrl,
    apiVersion,
    creationTime: new Date(world.now()).toISOString(),
    transactions: [],
  };
}

/** An attempt is an authentication and, if it succeeds, a payment or an authorisation. */
function attempt(
  { world, scenario }: Saving,
  { amount, currency }: GatewayOrder,
  number: number,
  outcome: Outcome,
  type: Course['opens'],
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
    type,
    result: isGood ? 'SUCCESS' : 'FAILURE',
    gatewayCode,
    amount,
    currency,
    ...times,
  };
  return isProven ? [authentication, payment] : [authentication];
}

function approveLater(saving: Saving, { merchantId, id, transactions }: GatewayOrder): void {
  const { world, state, scenario } = saving;
  const failed = transactions.at(-1);
  if (!failed) return;
  world.schedule.run(async () => {
    await world.schedule.wait(lateAfterMs, scenario.delayMs);
    const order = state.orders.get(orderKey(merchantId, id));
    // Another attempt may have paid in the meantime; the consumer must not be charged twice.
    if (!order || isApproved(order)) return;
    const paid: GatewayTransaction = {
      ...failed,
      result: 'SUCCESS',
      gatewayCode: 'APPROVED',
      wasFailed: true,
      timeOfLastUpdate: new Date(world.now()).toISOString(),
    };
    saveTransactions(saving, order, [paid], true);
  });
}
