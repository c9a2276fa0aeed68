/** Refunds at the gateway: decided immediately, unless the scenario lets them fail later. */
import { behaviourOf, type RefundBehaviour } from '../behaviours.ts';
import type { GatewayShop } from '../shops.ts';
import type { World } from '../world.ts';
import {
  approved,
  declined,
  findRepeat,
  type MoneyRequest,
  operationReferences,
  playResults,
  type Results,
  submitted,
} from './operations.ts';
import { invalidField, invalidRequest } from './refusals.ts';
import type { GatewayOrder, GatewayState, GatewayTransaction } from './state.ts';
import { capturesOf, capturesOfPayment, refundableOf } from './totals.ts';

const failedAfterMs = 1_000;
/** The delay after which a refund that was reported as failed is made. */
const lateAfterMs = 60_000;

export function startGatewayRefund(
  world: World,
  state: GatewayState,
  shop: GatewayShop,
  order: GatewayOrder,
  wished: MoneyRequest,
): GatewayTransaction {
  const known = findRepeat(order, wished);
  if (known) return known;

  const { amount, currency } = wished;
  const target = getTarget(order, wished);
  if (currency !== order.currency) throw invalidRequest('The currency does not match.');
  if (amount > refundableOf(order, target)) {
    throw invalidRequest(
      `Requested refund amount exceeds the amount that is left of transaction ${target.id}.`,
    );
  }
  const scenario = world.scenarios.of(operationReferences(order, wished));
  return playResults(
    { world, state, shop, scenario },
    order,
    { ...wished, targetTransactionId: target.id },
    {
      type: 'REFUND',
      amount,
      currency,
      isPossible: (current) => amount <= refundableOf(current, target),
    },
    resultsOf(behaviourOf(scenario).refund, wished.id),
  );
}

function resultsOf(behaviour: RefundBehaviour, id: string): Results {
  const failsLater = { ...declined, afterMs: failedAfterMs };
  switch (behaviour) {
    case 'processed':
      return [approved];
    case 'failed':
      return [submitted, failsLater];
    case 'failed-then-processed':
      return [submitted, failsLater, { ...approved, afterMs: lateAfterMs }];
    case 'second-part-declined':
      return [/-\d{12}-2$/.test(id) ? declined : approved];
    default:
      return behaviour satisfies never;
  }
}

/** A refund has one payment or capture as its target, which must be named if there are several. */
function getTarget(order: GatewayOrder, { targetTransactionId }: MoneyRequest): GatewayTransaction {
  const captures = capturesOf(order);
  if (targetTransactionId !== undefined) {
    const named = captures.find(({ id }) => id === targetTransactionId);
    if (!named) throw invalidRequest(`Transaction ${targetTransactionId} cannot be refunded.`);
    return named;
  }
  const [only, ...others] = captures;
  if (!only) throw invalidRequest('There is no payment to refund.');
  if (others.length > 0) throw invalidField('transaction.targetTransactionId');
  return only;
}

/** False if the payment cannot be refunded by so much at once. */
export async function refundAtGatewayPortal(
  world: World,
  state: GatewayState,
  paymentId: string,
  amount: number,
): Promise<boolean> {
  const { order, captures } = capturesOfPayment(state, paymentId);
  const shop = await world.shops.findGateway(order?.merchantId ?? '');
  const target = order && captures.find((capture) => refundableOf(order, capture) >= amount);
  if (!order || !shop || !target) return false;
  const number = order.transactions.length + 1;
  startGatewayRefund(world, state, shop, order, {
    id: `portal-${number}`,
    amount,
    currency: order.currency,
    reference: undefined,
    targetTransactionId: target.id,
    request: undefined,
  });
  return true;
}
