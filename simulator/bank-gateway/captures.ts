/** Captures and voids that the shop requests, by the API or on the gateway's own pages. */
import { behaviourOf, type CaptureBehaviour } from '../behaviours.ts';
import type { GatewayShop } from '../shops.ts';
import type { World } from '../world.ts';
import { raiseChargebacks } from './chargebacks.ts';
import {
  approved,
  declined,
  findRepeat,
  type MoneyRequest,
  operationReferences,
  playResults,
  type Results,
  submitted,
  type VoidRequest,
} from './operations.ts';
import { invalidField, invalidRequest } from './refusals.ts';
import {
  type GatewayOrder,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
  type TransactionType,
} from './state.ts';
import { capturableOf, capturesOf, findAuthorization, isVoidable } from './totals.ts';

const decidedAfterMs = 5_000;

type Parties = {
  readonly world: World;
  readonly state: GatewayState;
  readonly shop: GatewayShop;
};

export function startGatewayCapture(
  parties: Parties,
  order: GatewayOrder,
  wished: MoneyRequest,
): GatewayTransaction {
  const known = findRepeat(order, wished);
  if (known) return known;
  const { amount, currency } = wished;
  const target = findAuthorization(order, wished.targetTransactionId);
  if (!target) throw invalidRequest('There is no authorization to capture.');
  if (currency !== order.currency) throw invalidRequest('The currency does not match.');
  if (amount > capturableOf(order, target)) {
    throw invalidRequest('Requested capture amount exceeds outstanding authorized amount.');
  }
  const saving = { ...parties, scenario: scenarioOf(parties, order, wished) };
  const { captures } = behaviourOf(saving.scenario);
  return playResults(
    saving,
    order,
    { ...wished, targetTransactionId: target.id },
    {
      type: 'CAPTURE',
      amount,
      currency,
      wasFailed: target.wasFailed,
      isPossible: (current) => amount <= capturableOf(current, target),
      // The consumer's bank claims a payment once, however many captures it has.
      onMade: (current) => {
        if (capturesOf(current).length === 1) raiseChargebacks(saving, current);
      },
    },
    order.isHoldOver ? [declined] : resultsOf(captures),
  );
}

const voids: Readonly<Partial<Record<TransactionType, TransactionType>>> = {
  AUTHORIZATION: 'VOID_AUTHORIZATION',
  CAPTURE: 'VOID_CAPTURE',
  PAYMENT: 'VOID_PAYMENT',
};

export function startGatewayVoid(
  parties: Parties,
  order: GatewayOrder,
  wished: VoidRequest,
): GatewayTransaction {
  const known = findRepeat(order, wished);
  if (known) return known;
  const { targetTransactionId } = wished;
  if (targetTransactionId === undefined) throw invalidField('transaction.targetTransactionId');
  const target = order.transactions.find(({ id }) => id === targetTransactionId);
  const type = target && voids[target.type];
  if (!type || !isVoidable(order, target)) {
    throw invalidRequest(`Transaction ${targetTransactionId} cannot be voided.`);
  }
  const saving = { ...parties, scenario: scenarioOf(parties, order, wished) };
  const isHold = type === 'VOID_AUTHORIZATION';
  return playResults(
    saving,
    order,
    wished,
    {
      type,
      amount: isHold ? capturableOf(order, target) : target.amount,
      currency: target.currency,
      isPossible: (current) => isVoidable(current, target),
    },
    resultsOf(behaviourOf(saving.scenario).captures),
  );
}

function scenarioOf({ world }: Parties, order: GatewayOrder, wished: VoidRequest) {
  return world.scenarios.of(operationReferences(order, wished));
}

function resultsOf(behaviour: CaptureBehaviour): Results {
  switch (behaviour) {
    case 'made':
      return [approved];
    case 'declined':
      return [declined];
    case 'pending-then-made':
      return [submitted, { ...approved, afterMs: decidedAfterMs }];
    case 'pending-then-declined':
      return [submitted, { ...declined, afterMs: decidedAfterMs }];
    default:
      return behaviour satisfies never;
  }
}

/** Without an amount, all that is left. Undefined unless so much is left. */
export function captureAtGatewayPortal(
  world: World,
  state: GatewayState,
  paymentId: string,
  amount?: number,
): Promise<GatewayTransaction | undefined> {
  return atPortal(world, state, paymentId, (parties, order, target, request) => {
    const left = capturableOf(order, target);
    const wanted = amount ?? left;
    if (wanted > left) return undefined;
    const { currency } = order;
    return startGatewayCapture(parties, order, { ...request, amount: wanted, currency });
  });
}

export function voidAtGatewayPortal(
  world: World,
  state: GatewayState,
  paymentId: string,
): Promise<GatewayTransaction | undefined> {
  return atPortal(world, state, paymentId, (parties, order, _target, request) =>
    startGatewayVoid(parties, order, request),
  );
}

/** The consumer's bank frees the money, and the gateway does not hear of it: only a capture is declined from now on. */
export function expireGatewayHold(
  world: World,
  state: GatewayState,
  paymentId: string,
): Promise<GatewayOrder | undefined> {
  return atPortal(world, state, paymentId, (_parties, order) => {
    const over = { ...order, isHoldOver: true };
    state.orders.set(orderKey(order.merchantId, order.id), over);
    world.log(`bank-gateway: the hold of ${paymentId} is over`);
    return over;
  });
}

async function atPortal<Done>(
  world: World,
  state: GatewayState,
  paymentId: string,
  act: (
    parties: Parties,
    order: GatewayOrder,
    target: GatewayTransaction,
    request: VoidRequest,
  ) => Done | undefined,
): Promise<Done | undefined> {
  const [orderId, id] = paymentId.split('|');
  const find = () => [...state.orders.values()].find((order) => order.id === orderId);
  const shop = await world.shops.findGateway(find()?.merchantId ?? '');
  const order = find();
  const target = order && findAuthorization(order, id);
  if (!shop || !target || capturableOf(order, target) === 0) return undefined;
  return act({ world, state, shop }, order, target, {
    id: `portal-${order.transactions.length + 1}`,
    reference: undefined,
    targetTransactionId: target.id,
    request: undefined,
  });
}
