/** Runs the later steps of a course in order, and sends a notification for each. */
import type { Scenario } from '../scenario.ts';
import type { GatewayShop } from '../shops.ts';
import type { World } from '../world.ts';
import { amountOf, type Course, type Step } from './courses.ts';
import { moveMoney } from './move-money.ts';
import { gatewayNotification } from './notification.ts';
import {
  type GatewayOrder,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
  withTransaction,
} from './state.ts';
import { refundableOf } from './totals.ts';

/** Hours or days at a real gateway; short enough here for delayed notifications to arrive out of order. */
const stepAfterMs = 10_000;

export function followCourse(
  world: World,
  state: GatewayState,
  shop: GatewayShop,
  { merchantId, id: orderId }: GatewayOrder,
  course: Course & { readonly firstId: number },
  scenario: Scenario,
): void {
  const key = orderKey(merchantId, orderId);
  world.schedule.run(async () => {
    for (const [index, step] of course.steps.entries()) {
      await world.schedule.wait(stepAfterMs, scenario.delayMs);
      const order = state.orders.get(key);
      const target = order?.transactions.find(
        ({ id }) => id === String(course.firstId + step.target - 1),
      );
      if (!order || !target || !isPossible(order, target, step)) return;
      const transaction = take(step, target, String(course.firstId + index + 1));
      const updated = withTransaction(order, transaction);
      state.orders.set(key, updated);
      moveMoney(world, updated, transaction);
      world.log(`bank-gateway: ${step.type} ${orderId}|${transaction.id} SUCCESS`);
      world.webhooks.post(key, [gatewayNotification(world, shop, updated, transaction)], scenario);
    }
  });

  function take(step: Step, target: GatewayTransaction, id: string): GatewayTransaction {
    const now = new Date(world.now()).toISOString();
    return {
      id,
      type: step.type,
      result: 'SUCCESS',
      gatewayCode: 'APPROVED',
      amount: amountOf(step.share, target.amount),
      currency: target.currency,
      timeOfRecord: now,
      timeOfLastUpdate: now,
      targetTransactionId: target.id,
      ...(step.isTargetHidden && { isTargetHidden: true }),
    };
  }
}

/** A payment or capture that was refunded, even in part, can no longer be voided; the course ends there. */
function isPossible(order: GatewayOrder, target: GatewayTransaction, { type }: Step): boolean {
  const isVoid = type === 'VOID_PAYMENT' || type === 'VOID_CAPTURE';
  return !isVoid || refundableOf(order, target) === target.amount;
}
