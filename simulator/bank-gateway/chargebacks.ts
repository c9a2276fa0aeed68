/** Chargebacks at the gateway. The bank records them, so a dispute is known here only once it is lost. */
import { behaviourOf } from '../behaviours.ts';
import { claimedBy } from '../dispute-steps.ts';
import { texts } from '../wire.ts';
import type { World } from '../world.ts';
import { type Saving, saveTransactions } from './save-transactions.ts';
import {
  type GatewayOrder,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
} from './state.ts';
import { capturesOf, capturesOfPayment } from './totals.ts';

/** The id of the chargeback. Undefined if no capture of the payment has so much left that the bank could take. */
export async function chargeBack(
  world: World,
  state: GatewayState,
  paymentId: string,
  amount: number | undefined,
): Promise<string | undefined> {
  const { order, captures } = capturesOfPayment(state, paymentId);
  const shop = await world.shops.findGateway(order?.merchantId ?? '');
  if (!order || !shop) return undefined;
  const target = captures.find((capture) => leftOf(order, capture) >= (amount ?? 1));
  if (!target) return undefined;
  const scenario = world.scenarios.of(texts(order.id, order.reference));
  const taken = amount ?? leftOf(order, target);
  return record({ world, state, shop, scenario }, order, target, taken);
}

/** Days or weeks at a real gateway. */
const claimedAfterMs = 10_000;

export function raiseChargebacks(saving: Saving, order: GatewayOrder): void {
  const { world, scenario } = saving;
  if (behaviourOf(scenario).disputes.length === 0) return;
  world.schedule.run(async () => {
    await world.schedule.wait(claimedAfterMs, scenario.delayMs);
    playChargebacks(saving, order);
  });
}

/** The plans of the scenario that are lost; the gateway has no word for the others. */
function playChargebacks(
  saving: Saving,
  { merchantId, id }: Pick<GatewayOrder, 'merchantId' | 'id'>,
): void {
  for (const plan of behaviourOf(saving.scenario).disputes) {
    const order = saving.state.orders.get(orderKey(merchantId, id));
    const [target] = order ? capturesOf(order) : [];
    if (!order || !target || !plan.steps.includes('lost')) continue;
    const taken = Math.min(claimedBy(plan, target.amount), leftOf(order, target));
    if (taken > 0) record(saving, order, target, taken);
  }
}

function record(
  saving: Saving,
  order: GatewayOrder,
  target: GatewayTransaction,
  amount: number,
): string {
  const now = new Date(saving.world.now()).toISOString();
  const number = order.transactions.filter(({ type }) => type === 'CHARGEBACK').length + 1;
  const id = `chargeback-${number}`;
  const chargeback: GatewayTransaction = {
    id,
    type: 'CHARGEBACK',
    result: 'SUCCESS',
    gatewayCode: 'APPROVED',
    amount,
    currency: target.currency,
    timeOfRecord: now,
    timeOfLastUpdate: now,
    targetTransactionId: target.id,
  };
  saveTransactions(saving, order, [chargeback]);
  return `${order.id}|${id}`;
}

/** What the bank has not taken back yet, refunded or not: it does not know of refunds. */
function leftOf({ transactions }: GatewayOrder, { id, amount }: GatewayTransaction): number {
  const taken = transactions.filter(
    ({ type, targetTransactionId }) => type === 'CHARGEBACK' && targetTransactionId === id,
  );
  return taken.reduce((left, one) => left - one.amount, amount);
}
