/**
 * Many concurrent orders while the providers misbehave by seed: each order is created, paid and perhaps refunded in
 * parts. At the end, what the service reports is compared with the ledger of the providers.
 */
import { type Enquiry, ServiceCallError } from '../../client/client.js';
import { chaosScenario } from '../../simulator/chaos.ts';
import { type Random, randomOf } from '../../simulator/random.ts';
import type { Scenario } from '../../simulator/scenario.ts';
import { cart } from '../harness/cart.ts';
import { payAtPage } from './consumer.ts';
import { type End, endOf, hasEnded } from './ends.ts';
import { enquireUntil } from './enquire-until.ts';
import { type ChaosResult, type ChaosStage, type Journey, judgeAll } from './judge-chaos.ts';
import { type OpenedOrder, startAtCheckout } from './start-at-checkout.ts';

type ChaosOptions = {
  readonly seed: number;
  readonly orders: number;
  readonly onProgress?: (done: number, total: number, label: string) => void;
  readonly patience?: Patience;
};

/** How long a consumer waits, and how often they try again. */
type Patience = {
  /** How long to wait for the result of a payment. */
  readonly answerMs: number;
  /** The same for a payment without a payment page; after that another payment is started. */
  readonly noPageMs: number;
  readonly attempts: number;
};

const atOnce = 16;
const usualPatience: Patience = { answerMs: 90_000, noPageMs: 3_000, attempts: 6 };

export async function runChaos(stage: ChaosStage, options: ChaosOptions): Promise<ChaosResult> {
  const startedAt = performance.now();
  const judged = await judgeAll(stage, await travelAll(stage, options));
  return { ...judged, seconds: (performance.now() - startedAt) / 1000 };
}

export async function travelAll(stage: ChaosStage, options: ChaosOptions): Promise<Journey[]> {
  const { orders, onProgress } = options;
  const journeys: Journey[] = [];
  let next = 0;
  const travelOn = async () => {
    while (next < orders) {
      const index = next;
      next += 1;
      journeys.push(await travel(stage, options, index));
      onProgress?.(journeys.length, orders, 'orders');
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, orders) }, travelOn));
  return journeys;
}

async function travel(
  stage: ChaosStage,
  { seed, patience = usualPatience }: ChaosOptions,
  index: number,
): Promise<Journey> {
  const { client, simulator } = stage;
  const random = randomOf(seed, `travel:${index}`);
  const scenario = chaosScenario(seed, `order:${index}`);
  const total = 100 + Math.floor(random() * 500_000);
  const { order_id: orderId, token = '' } = await client.createOrder(
    cart(`CHAOS-${seed}-${index}`, (total / 100).toFixed(2)),
  );
  simulator.setScenarioFor(orderId, scenario);
  const troubles: string[] = [];
  let end: End = 'completed';
  try {
    const patient = { ...stage, patience };
    end = await payAtLast(patient, { orderId, token }, scenario, random);
    const isRefundable = end === 'completed' && !isCaptureUnsteady(scenario);
    if (isRefundable && random() < 0.6) {
      await refundParts(patient, orderId, `CHAOS-${seed}-${index}`, random);
    }
  } catch (error) {
    troubles.push(`${orderId} (${scenario.name}): ${(error as Error).message}`);
  }
  return { orderId, scenario, end, troubles };
}

/** The order is completed, then not, then again, so it is not predictable which capture a refund would apply to. */
function isCaptureUnsteady({ name }: Scenario): boolean {
  return name === 'void-and-capture-again';
}

type Patient = ChaosStage & { readonly patience: Patience };

/** The consumer tries again only after a payment was reported as failed. */
async function payAtLast(
  patient: Patient,
  order: OpenedOrder,
  scenario: Scenario,
  random: Random,
): Promise<End> {
  const { client, simulator, patience } = patient;
  const order_id = order.orderId;
  let current = scenario;
  for (let attempt = 1; attempt <= patience.attempts; attempt += 1) {
    const mode = random() < 0.5 ? 'upi' : 'credit_card';
    const url = await startPayment(patient, order, mode, random);
    if (url !== undefined) {
      await payAtPage(url);
      if (scenario.name === 'second-attempt') await payAtPage(url);
    }
    const provider = mode === 'upi' ? 'partner' : 'bank-gateway';
    const end = endOf(current.name, provider);
    const isLate = attempt === 1 && succeedsLater.includes(scenario.name);
    const startsAnew = url === undefined;
    const patienceMs = startsAnew ? patience.noPageMs : patience.answerMs;
    // The newest payment is the last one: the consumer starts one after the other.
    const ownOf = (enquiry: Enquiry) =>
      enquiry.transaction.findLast(({ transaction_type }) => transaction_type === 'payment');
    const waiting = enquireUntil({ client, patienceMs }, { order_id }, (enquiry) => {
      const own = ownOf(enquiry);
      return hasEnded(end, enquiry, own) || (own?.payment_status === 'failed' && !isLate);
    });
    const found = await (startsAnew ? waiting.catch(() => undefined) : waiting);
    if (found && hasEnded(end, found, ownOf(found))) return end;
    // The consumer uses another card, and the provider works again.
    current = { name: 'happy' };
    simulator.setScenarioFor(order_id, current);
  }
  throw new Error(`not paid after ${patience.attempts} attempts`);
}

/** Half of the payments start on the checkout page. Returns the page to pay at, if there is one. */
async function startPayment(
  { client, baseUrl }: ChaosStage,
  order: OpenedOrder,
  mode: 'upi' | 'credit_card',
  random: Random,
): Promise<string | undefined> {
  if (random() < 0.5) return startAtCheckout(baseUrl, order, mode);
  const { next } = await client.initiatePayment({
    order_id: order.orderId,
    payment_mode_code: mode,
  });
  return next.find(({ action }) => action === 'redirect')?.url;
}

/** Scenarios in which a payment is reported as failed and succeeds later. */
const succeedsLater: readonly Scenario['name'][] = ['late-success', 'second-attempt'];

async function refundParts(
  { client, patience }: Patient,
  order_id: string,
  invoice_id: string,
  random: Random,
): Promise<void> {
  const { order } = await client.transactionEnquiry({ order_id });
  // Less than the order's amount if an offer gave a discount, or if a dispute claims a part.
  const total = Math.round((order.refund_details?.available_refundable_amount ?? 0) * 100);
  if (total < 2) return;
  const first = 1 + Math.floor(random() * (total - 1));
  const amounts = random() < 0.5 ? [first] : [first, total - first];
  for (const [part, minor] of amounts.entries()) {
    const refund = {
      invoice_id,
      refund_amount: (minor / 100).toFixed(2),
      refund_request_id: `${invoice_id}-R${part}`,
    };
    const started = await client.refund(refund).catch(endIfDisputed);
    if (!started) return;
    const { transaction_id } = started;
    await enquireUntil(
      { client, patienceMs: patience.answerMs },
      { transaction_id },
      ({ transaction: [refund] }) => ['succeeded', 'failed'].includes(refund?.refund_status ?? ''),
    );
  }
}

/** A dispute may come between the enquiry and the refund. */
function endIfDisputed(error: unknown): undefined {
  if (error instanceof ServiceCallError && error.code === 'PAYMENT_DISPUTED') return undefined;
  throw error;
}
