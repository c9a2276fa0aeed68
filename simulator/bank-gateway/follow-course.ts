/** Runs the later steps of a course in order. */
import { raiseChargebacks } from './chargebacks.ts';
import { amountOf, type Course, type Step } from './courses.ts';
import { type Saving, saveTransactions } from './save-transactions.ts';
import { type GatewayOrder, type GatewayTransaction, orderKey } from './state.ts';
import { capturableOf, capturesOf, isVoidable } from './totals.ts';

/** Hours or days at a real gateway; short enough here for delayed notifications to arrive out of order. */
const stepAfterMs = 10_000;

export function followCourse(
  saving: Saving,
  { merchantId, id: orderId }: GatewayOrder,
  course: Course & { readonly firstId: number },
): void {
  const { world, state, scenario } = saving;
  const key = orderKey(merchantId, orderId);
  world.schedule.run(async () => {
    for (const [index, step] of course.steps.entries()) {
      await world.schedule.wait(stepAfterMs, scenario.delayMs);
      const order = state.orders.get(key);
      const target = order?.transactions.find(
        ({ id }) => id === String(course.firstId + step.target - 1),
      );
      if (!order || !target || !isPossible(order, target, step)) return;
      saveTransactions(saving, order, [take(step, target, String(course.firstId + index + 1))]);
    }
    // What only the shop captures is disputed after it did.
    const order = state.orders.get(key);
    if (order && capturesOf(order).length > 0) raiseChargebacks(saving, order);
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

/** The course ends where the shop was faster: it captured, voided or refunded what the step is about. */
function isPossible(order: GatewayOrder, target: GatewayTransaction, step: Step): boolean {
  const amount = amountOf(step.share, target.amount);
  switch (step.type) {
    case 'CAPTURE':
      return amount <= capturableOf(order, target);
    case 'VOID_AUTHORIZATION':
      return amount === capturableOf(order, target);
    default:
      return target.type !== 'AUTHORIZATION' && isVoidable(order, target);
  }
}
