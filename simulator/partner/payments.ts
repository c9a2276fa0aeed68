/** What happens at the partner when the consumer acts on the payment page. */
import { amountText } from '../money.ts';
import { idOf } from '../random.ts';
import { type Action, decideOutcome, type Scenario } from '../scenarios.ts';
import type { PartnerShop } from '../shops.ts';
import { texts } from '../wire.ts';
import type { World } from '../world.ts';
import type { PartnerBook, PartnerOrder, PartnerPayment } from './book.ts';
import { partnerEvent } from './events.ts';

/** When a payment that was reported failed turns out to have gone through. */
const lateAfterMs = 60_000;

/** Undefined when there is nothing to act on: an unknown order, or one that is paid. */
export async function actAtPartner(
  world: World,
  book: PartnerBook,
  orderId: string,
  action: Action,
): Promise<PartnerPayment | undefined> {
  const shop = await world.shops.findPartner(book.orders.get(orderId)?.keyId ?? '');
  const order = book.orders.get(orderId);
  if (!order || !shop || order.isPaid) return undefined;

  const scenario = world.scenarios.of(referencesOf(order));
  const outcome = decideOutcome(scenario, action, order.attempts);
  const payment = attempt(world, order);
  const isCancelled = outcome === 'cancelled';
  const reason = isCancelled ? 'payment_cancelled' : (scenario.reason ?? 'insufficient_funds');
  book.orders.set(order.id, { ...order, attempts: order.attempts + 1 });

  if (outcome === 'paid') return capture(world, book, shop, payment, scenario);
  if (outcome === 'declined-then-paid') captureLater(world, book, shop, payment, scenario);
  return fail(world, book, shop, { ...payment, failureReason: reason.toLowerCase() }, scenario);
}

export function referencesOf({ notes, checkout, receipt, id }: PartnerOrder): string[] {
  const all = { ...notes, ...checkout.notes };
  return texts(all.svc_transaction_id, receipt, all.svc_order_id, all.order_id, all.invoice_id, id);
}

function attempt(world: World, order: PartnerOrder): PartnerPayment {
  const { id: orderId, keyId, amount, currency, attempts, checkout } = order;
  const notes = { ...order.notes, ...checkout.notes };
  return {
    id: `pay_${idOf(world.seed, `payment:${orderId}:${attempts}`, 14)}`,
    orderId,
    keyId,
    amount,
    currency,
    status: 'failed',
    method: texts(checkout.method, notes.method)[0] ?? 'upi',
    notes,
    createdAt: Math.floor(world.now() / 1000),
    amountRefunded: 0,
    failureReason: null,
  };
}

function fail(
  world: World,
  book: PartnerBook,
  shop: PartnerShop,
  payment: PartnerPayment,
  scenario: Scenario,
): PartnerPayment {
  book.payments.set(payment.id, payment);
  world.log(`partner: payment ${payment.id} failed: ${payment.failureReason}`);
  world.webhooks.post(
    payment.id,
    [partnerEvent(world, shop, 'payment.failed', { payment })],
    scenario,
  );
  return payment;
}

function capture(
  world: World,
  book: PartnerBook,
  shop: PartnerShop,
  attempted: PartnerPayment,
  scenario: Scenario,
): PartnerPayment {
  const authorized: PartnerPayment = { ...attempted, status: 'authorized', failureReason: null };
  const payment: PartnerPayment = { ...authorized, status: 'captured' };
  book.payments.set(payment.id, payment);
  const order = book.orders.get(payment.orderId);
  if (!order) return payment;
  const paid = { ...order, isPaid: true };
  book.orders.set(order.id, paid);
  world.log(`partner: payment ${payment.id} captured, ${amountText(payment)}`);
  world.webhooks.post(
    payment.id,
    [
      partnerEvent(world, shop, 'payment.authorized', { payment: authorized }),
      partnerEvent(world, shop, 'payment.captured', { payment }),
      partnerEvent(world, shop, 'order.paid', { payment, order: paid }),
    ],
    scenario,
  );
  return payment;
}

function captureLater(
  world: World,
  book: PartnerBook,
  shop: PartnerShop,
  payment: PartnerPayment,
  scenario: Scenario,
): void {
  world.schedule.run(async () => {
    await world.schedule.wait(lateAfterMs, scenario.delayMs);
    // Another try may have paid meanwhile; nobody is charged twice.
    if (!book.orders.get(payment.orderId)?.isPaid) capture(world, book, shop, payment, scenario);
  });
}
