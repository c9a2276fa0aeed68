/** Refunds at the gateway: decided immediately, unless the scenario lets them fail later. */
import { behaviourOf, type RefundBehaviour } from '../behaviours.ts';
import type { GatewayShop } from '../shops.ts';
import type { World } from '../world.ts';
import { invalidField, invalidRequest } from './refusals.ts';
import { saveTransactions } from './save-transactions.ts';
import {
  type GatewayOrder,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
} from './state.ts';
import { capturesOf, capturesOfPayment, refundableOf } from './totals.ts';

export type RefundRequest = {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | undefined;
  readonly targetTransactionId: string | undefined;
  /** Undefined if it was made on the gateway's own pages. */
  readonly request: string | undefined;
};

const failedAfterMs = 1_000;
/** The delay after which a refund that was reported as failed is made. */
const lateAfterMs = 60_000;

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

  const key = orderKey(order.merchantId, order.id);
  const scenario = world.scenarios.of(refundReferences(order, wished));
  const [first, ...later] = resultsOf(behaviourOf(scenario).refund, wished.id);
  const now = new Date(world.now()).toISOString();
  const refund: GatewayTransaction = {
    id: wished.id,
    type: 'REFUND',
    ...first,
    amount: wished.amount,
    currency: wished.currency,
    timeOfRecord: now,
    timeOfLastUpdate: now,
    ...(wished.reference && { reference: wished.reference }),
    targetTransactionId: target.id,
    ...(wished.request !== undefined && { request: wished.request }),
  };
  save(refund);
  world.schedule.run(async () => {
    for (const { afterMs, ...outcome } of later) {
      await world.schedule.wait(afterMs, scenario.delayMs);
      // What was reported as failed may have been refunded again in the meantime.
      const isMade = outcome.result === 'SUCCESS';
      if (isMade && wished.amount > refundableOf(current(), target)) return;
      const timeOfLastUpdate = new Date(world.now()).toISOString();
      save({ ...refund, ...outcome, timeOfLastUpdate }, isMade);
    }
  });
  return refund;

  function current(): GatewayOrder {
    return state.orders.get(key) ?? order;
  }

  function save(transaction: GatewayTransaction, isAfterFailure = false): void {
    saveTransactions({ world, state, shop, scenario }, current(), [transaction], isAfterFailure);
  }
}

type RefundResult = Pick<GatewayTransaction, 'result' | 'gatewayCode'>;

const approved: RefundResult = { result: 'SUCCESS', gatewayCode: 'APPROVED' };
const submitted: RefundResult = { result: 'PENDING', gatewayCode: 'SUBMITTED' };
const declined: RefundResult = { result: 'FAILURE', gatewayCode: 'DECLINED' };

/** What a refund is at first, and what becomes of it. */
function resultsOf(
  behaviour: RefundBehaviour,
  id: string,
): [RefundResult, ...(RefundResult & { readonly afterMs: number })[]] {
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
