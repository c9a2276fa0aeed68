/** The life of one order: created, paid in one way or another, perhaps refunded, or left until it lapses. */
import { addSeconds } from '../../../src/domain/time.ts';
import { payAtPage } from '../consumer.ts';
import { payAtTheCounter } from './counter.ts';
import { type Course, courseOf } from './courses.ts';
import type { Life } from './lives.ts';
import type { FillStage } from './open-past.ts';
import { orderBody } from './order-body.ts';
import type { ModeCode, PlannedOrder } from './plan-orders.ts';
import { type PlacedOrder, startPayment } from './start-payment.ts';

/** The defaults of the service, and a little more. */
const lapsesAfterSeconds = 24 * 3600 + 30;
const pollsAfterSeconds = 75;

export async function* liveOrder(stage: FillStage, plan: PlannedOrder): Life {
  yield plan.at;
  const placed = await place(stage, plan);
  const { scenario, consumer, isRefundable = false }: Course = courseOf(plan.course);
  const { orderId } = placed;
  if (scenario) stage.simulator.setScenarioFor(orderId, { name: scenario, reason: plan.reason });
  if (consumer !== 'never-starts') {
    yield* pay(stage, placed, consumer);
    if (scenario === 'lost-webhook' || consumer === 'leaves') {
      yield later(stage, pollsAfterSeconds);
      await stage.background.pollProviders();
    }
  }
  if (plan.refund) yield* refund(stage, plan, plan.refund);
  if (isRefundable) return;
  yield addSeconds(plan.at, lapsesAfterSeconds);
  await stage.background.lapseOrders();
}

async function place({ client }: FillStage, plan: PlannedOrder): Promise<PlacedOrder> {
  const body = orderBody(plan);
  if (plan.way !== 'link') {
    const { order_id, token = '' } = await client.createOrder(body);
    return { plan, orderId: order_id, token };
  }
  const { order_id, payment_link } = await client.createPaymentLink(body);
  return { plan, orderId: order_id, token: '', link: payment_link };
}

async function* pay(stage: FillStage, placed: PlacedOrder, consumer: Course['consumer']): Life {
  const { plan } = placed;
  const { mode, otherMode, random } = plan;
  const think = () => later(stage, 20 + random() * 90);
  yield think();
  switch (consumer) {
    case 'pays':
      yield* payOnce(stage, placed, mode);
      return;
    case 'pays-twice': {
      const urls = [
        await startPayment(stage, placed, mode, 'shop'),
        await startPayment(stage, placed, otherMode, 'shop'),
      ];
      yield think();
      for (const url of urls) await payAtPage(url);
      return;
    }
    case 'fails-first':
      yield* failOnce(stage, placed, mode);
      yield think();
      yield* payOnce(stage, placed, otherMode);
      return;
    case 'gives-up':
      yield* failOnce(stage, placed, mode);
      if (random() < 0.4) return;
      yield think();
      yield* failOnce(stage, placed, otherMode);
      return;
    case 'cancels':
      await payAtPage(await startPayment(stage, placed, mode), 'cancel');
      return;
    case 'leaves':
      await startPayment(stage, placed, mode);
      return;
    case 'at-the-counter':
      await payAtTheCounter(stage, placed);
      return;
    case 'never-starts':
      return;
    default:
      consumer satisfies never;
  }
}

async function* payOnce(stage: FillStage, placed: PlacedOrder, mode: ModeCode): Life {
  const { course, random } = placed.plan;
  const url = await startPayment(stage, placed, mode);
  yield later(stage, 15 + random() * 60);
  await payAtPage(url);
  if (courseOf(course) !== courseOf('second-try-on-page')) return;
  yield later(stage, 10 + random() * 30);
  await payAtPage(url);
}

/** The bank declines. Afterwards the provider does as the course says. */
async function* failOnce(stage: FillStage, placed: PlacedOrder, mode: ModeCode): Life {
  const { simulator } = stage;
  const { orderId, plan } = placed;
  const url = await startPayment(stage, placed, mode);
  yield later(stage, 15 + plan.random() * 60);
  simulator.setScenarioFor(orderId, { name: 'decline', reason: plan.reason });
  await payAtPage(url);
  simulator.setScenarioFor(orderId, { name: 'happy' });
}

async function* refund(
  stage: FillStage,
  { invoice }: PlannedOrder,
  { kind, afterSeconds, share }: NonNullable<PlannedOrder['refund']>,
): Life {
  const { client, simulator } = stage;
  yield later(stage, afterSeconds);
  const { order } = await client.transactionEnquiry({ invoice_id: invoice });
  const available = order.refund_details?.available_refundable_amount ?? 0;
  if (available === 0) return;
  simulator.setScenarioFor(order.svc_order_id, {
    name: kind === 'failing' ? 'refund-failing' : 'happy',
  });
  const amount = kind === 'partial' ? (available * share).toFixed(2) : undefined;
  await client.refund({
    invoice_id: invoice,
    refund_request_id: `${invoice}-R1`,
    ...(amount !== undefined && { refund_amount: amount }),
  });
}

function later({ clock }: FillStage, seconds: number): Date {
  return addSeconds(clock.now(), seconds);
}
