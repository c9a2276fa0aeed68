/**
 * Many orders at once while the providers misbehave by seed: each is created, paid, perhaps refunded in
 * parts. At the end what the service says is held against what really happened at the providers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Enquiry } from '../client/client.js';
import { chaosScenario } from '../simulator/chaos.ts';
import { type Random, randomOf } from '../simulator/random.ts';
import type { Scenario } from '../simulator/scenarios.ts';
import type { Ledger, Simulator } from '../simulator/simulator.ts';
import { payAtPage } from './consumer.ts';

export type ChaosStage = { readonly client: Client; readonly simulator: Simulator };

export type ChaosOptions = {
  readonly seed: number;
  readonly orders: number;
  readonly onProgress?: (done: number, total: number, label: string) => void;
  /** How long a consumer waits to hear what came of a payment. */
  readonly patienceMs?: number;
};

/** How one order fared, in minor units. */
export type Traveller = {
  readonly orderId: string;
  readonly scenario: Scenario['name'];
  readonly status: string;
  readonly attempts: number;
  readonly refunded: number;
};

export type ChaosResult = {
  readonly travellers: readonly Traveller[];
  /** Empty when every order ended as it should. */
  readonly troubles: readonly string[];
  readonly seconds: number;
};

const atOnce = 16;
const attemptsMax = 12;
/** A consumer who was given no page to pay at starts again after so long. */
const noPagePatienceMs = 5_000;
const usualPatienceMs = 90_000;
const pollMs = 150;

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

/** Once the trouble is over: what is still open then has its time to come to an end. */
export async function judgeAll(
  stage: ChaosStage,
  journeys: readonly Journey[],
): Promise<Pick<ChaosResult, 'travellers' | 'troubles'>> {
  await stage.simulator.settled();
  const ledger = stage.simulator.ledger();
  const ends = [];
  for (const journey of journeys) ends.push(await judge(stage, journey, ledger));
  return {
    travellers: ends.map(({ traveller }) => traveller),
    troubles: [
      ...journeys.flatMap(({ troubles }) => troubles),
      ...ends.flatMap((end) => end.troubles),
    ],
  };
}

export type Journey = {
  readonly orderId: string;
  readonly scenario: Scenario;
  readonly troubles: readonly string[];
};

async function travel(
  { client, simulator }: ChaosStage,
  { seed, patienceMs = usualPatienceMs }: ChaosOptions,
  index: number,
): Promise<Journey> {
  const random = randomOf(seed, `travel:${index}`);
  const scenario = chaosScenario(seed, `order:${index}`);
  const total = 100 + Math.floor(random() * 500_000);
  const { order_id: orderId } = await client.createOrder(cart(`CHAOS-${seed}-${index}`, total));
  simulator.setScenarioFor(orderId, scenario);
  const troubles: string[] = [];
  try {
    const patient = { client, simulator, patienceMs };
    await payAtLast(patient, orderId, scenario, random);
    if (random() < 0.6) await refundParts(patient, `CHAOS-${seed}-${index}`, total, random);
  } catch (error) {
    troubles.push(`${orderId} (${scenario.name}): ${(error as Error).message}`);
  }
  return { orderId, scenario, troubles };
}

type Patient = ChaosStage & { readonly patienceMs: number };

/** A consumer who wants to pay tries again when told that a payment failed, and not before. */
async function payAtLast(
  { client, simulator, patienceMs }: Patient,
  order_id: string,
  scenario: Scenario,
  random: Random,
): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const wish =
      random() < 0.5
        ? ({ payment_mode_code: 'upi', upi_id: 'asha@okbank' } as const)
        : ({ payment_mode_code: 'credit_card' } as const);
    const started = await client.initiatePayment({ order_id, ...wish });
    const url = started.next[0]?.url;
    if (url !== undefined) {
      await payAtPage(url);
      if (scenario.name === 'second-attempt') await payAtPage(url);
    }
    const isLate = attempt === 1 && succeedsLater.includes(scenario.name);
    const patient = { client, patienceMs: url === undefined ? noPagePatienceMs : patienceMs };
    const waiting = until(patient, { order_id }, (enquiry) => {
      const own = enquiry.transaction.find(
        ({ svc_transaction_id }) => svc_transaction_id === started.transaction_id,
      );
      return enquiry.order.status === 'completed' || (own?.payment_status === 'failed' && !isLate);
    });
    const found = await (url === undefined ? waiting.catch(() => undefined) : waiting);
    if (found?.order.status === 'completed') return;
    // Another card, and a provider that has come to itself.
    simulator.setScenarioFor(order_id, { name: 'happy' });
  }
  throw new Error(`not paid after ${attemptsMax} attempts`);
}

/** A failure is told, and the same payment goes through after all. */
const succeedsLater: readonly Scenario['name'][] = ['late-success', 'second-attempt'];

async function refundParts(
  { client, patienceMs }: Patient,
  invoice_id: string,
  total: number,
  random: Random,
): Promise<void> {
  const first = 1 + Math.floor(random() * (total - 1));
  const amounts = random() < 0.5 ? [first] : [first, total - first];
  for (const [part, minor] of amounts.entries()) {
    const { transaction_id } = await client.refund({
      invoice_id,
      refund_amount: (minor / 100).toFixed(2),
      refund_request_id: `${invoice_id}-R${part}`,
    });
    await until({ client, patienceMs }, { transaction_id }, ({ transaction: [refund] }) =>
      ['succeeded', 'failed'].includes(refund?.refund_status ?? ''),
    );
  }
}

async function until(
  { client, patienceMs }: { readonly client: Client; readonly patienceMs: number },
  ids: { order_id?: string; transaction_id?: string },
  isSo: (enquiry: Enquiry) => boolean,
): Promise<Enquiry> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const enquiry = await client.transactionEnquiry(ids);
    if (isSo(enquiry)) return enquiry;
    if (performance.now() > deadline) throw new Error(`stuck: ${JSON.stringify(enquiry)}`);
    await delay(pollMs);
  }
}

/** The providers' books are the truth. */
async function judge({ client }: ChaosStage, { orderId, scenario }: Journey, ledger: Ledger) {
  const isOwn = ({ reference }: { reference: string }) => reference.startsWith(orderId);
  const captured = ledger.payments.filter(
    (payment) => isOwn(payment) && payment.status === 'captured',
  );
  // A checkout that nobody paid at stays open as long as its order may be paid, and costs nobody anything.
  const stuck = (enquiry: Pick<Enquiry, 'transaction'>) =>
    openOf(enquiry).filter(
      ({ transaction_type, svc_transaction_id }) =>
        transaction_type !== 'payment' ||
        captured.some(({ reference }) => reference === svc_transaction_id),
    );
  const patient = { client, patienceMs: usualPatienceMs };
  const { order, transaction } = await until(
    patient,
    { order_id: orderId },
    (enquiry) => stuck(enquiry).length === 0,
  ).catch(() => client.transactionEnquiry({ order_id: orderId }));
  const processed = ledger.refunds.filter(
    (refund) => isOwn(refund) && refund.status === 'processed',
  );
  const truth = processed.reduce((sum, { amount }) => sum + amount, 0);
  const refunded = Math.round((order.refund_details?.refunded_amount ?? 0) * 100);
  const open = stuck({ transaction });
  const wrongs = [
    order.status !== 'completed' && `is ${order.status}`,
    captured.length !== 1 && `was charged ${captured.length} times`,
    refunded !== truth && `says ${refunded} refunded, the providers ${truth}`,
    open.length > 0 && `has ${open.length} open transactions`,
  ];
  return {
    traveller: {
      orderId,
      scenario: scenario.name,
      status: order.status,
      attempts: transaction.filter(({ transaction_type }) => transaction_type === 'payment').length,
      refunded,
    },
    troubles: wrongs
      .filter((wrong) => wrong !== false)
      .map((wrong) => `${orderId} (${scenario.name}) ${wrong}`),
  };
}

function openOf({ transaction }: Pick<Enquiry, 'transaction'>) {
  return transaction.filter(({ payment_status, refund_status, transaction_type }) =>
    ['new', 'pending', 'authorized'].includes(
      (transaction_type === 'payment' ? payment_status : refund_status) ?? '',
    ),
  );
}

function cart(invoice_id: string, total: number) {
  return {
    invoice_id,
    currency: 'INR',
    total_amount: (total / 100).toFixed(2),
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: '9876543210' },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ title: 'Tea', rate: 1, quantity: 1 }],
  };
}
