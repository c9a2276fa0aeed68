/** Refunds at the gateway: decided immediately, unless the scenario lets them fail later. */
import { behaviourOf } from '../behaviours.ts';
import type { GatewayShop } from '../shops.ts';
import type { World } from '../world.ts';
import { gatewayNotification } from './notification.ts';
import { invalidField, invalidRequest } from './refusals.ts';
import {
  type GatewayOrder,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
  withTransaction,
} from './state.ts';
import { capturesOf, refundableOf } from './totals.ts';

export type RefundRequest = {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | undefined;
  readonly targetTransactionId: string | undefined;
  readonly request: string;
};

const failedAfterMs = 1_000;

/** Idempotent by the transaction id: a repeat of the same request returns the first refund. */
export function startGatewayRefund(
  world: World,
  state: GatewayState,
  shop: GatewayShop,
  order: GatewayOrder,
  wished: RefundRequest,
): GatewayTransaction {
  const known = order.transactions.find(({ id }) => id === wished.id);
  if (known && known.request !== wished.request) {
    throw invalidRequest(`Transaction id ${wished.id} was used for another request.`);
  }
  if (known) return known;

  const target = getTarget(order, wished);
  if (wished.currency !== order.currency) throw invalidRequest('The currency does not match.');
  if (wished.amount > refundableOf(order, target)) {
    throw invalidRequest(
      `Requested refund amount exceeds the amount that is left of transaction ${target.id}.`,
    );
  }

  const scenario = world.scenarios.of(refundReferences(order, wished));
  const isFailing = behaviourOf(scenario).refund === 'failed';
  const now = new Date(world.now()).toISOString();
  const refund: GatewayTransaction = {
    id: wished.id,
    type: 'REFUND',
    result: isFailing ? 'PENDING' : 'SUCCESS',
    gatewayCode: isFailing ? 'SUBMITTED' : 'APPROVED',
    amount: wished.amount,
    currency: wished.currency,
    timeOfRecord: now,
    timeOfLastUpdate: now,
    ...(wished.reference && { reference: wished.reference }),
    targetTransactionId: target.id,
    request: wished.request,
  };
  save(refund);
  if (isFailing) {
    world.schedule.run(async () => {
      await world.schedule.wait(failedAfterMs);
      const later = new Date(world.now()).toISOString();
      save({ ...refund, result: 'FAILURE', gatewayCode: 'DECLINED', timeOfLastUpdate: later });
    });
  }
  return refund;

  function save(transaction: GatewayTransaction): void {
    const key = orderKey(order.merchantId, order.id);
    const updated = withTransaction(state.orders.get(key) ?? order, transaction);
    state.orders.set(key, updated);
    world.log(`bank-gateway: REFUND ${order.id}|${transaction.id} ${transaction.result}`);
    const notification = gatewayNotification(world, shop, updated, transaction);
    world.webhooks.post(key, [notification], scenario);
  }
}

/** The references of the refund come first, then those of its order. */
export function refundReferences(
  order: Pick<GatewayOrder, 'id' | 'reference'>,
  { id, reference }: Pick<RefundRequest, 'id' | 'reference'>,
): string[] {
  return [id, reference, order.id, order.reference].filter((name) => name !== undefined);
}

/** A refund has one payment or capture as its target, which must be named if there are several. */
function getTarget(
  order: GatewayOrder,
  { targetTransactionId }: RefundRequest,
): GatewayTransaction {
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
