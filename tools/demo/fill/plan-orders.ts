/** Plans the orders of a shop from a seed: when, who, what, and what becomes of each. Pure. */

import type { ProviderName } from '../../../simulator/api-call.ts';
import { pickWeighted, type Random, randomOf } from '../../../simulator/random.ts';
import { type Course, type CourseName, courseNames, courseOf } from './courses.ts';
import { timeOfOrder } from './opening-hours.ts';
import { type Consumer, consumers, type Tea, teas, wholesale } from './tea-shop.ts';

export type ModeCode = 'upi' | 'credit_card' | 'debit_card' | 'net_banking' | 'wallet';

type PlannedItem = Tea & { readonly quantity: number };

type PlannedRefund = {
  readonly kind: 'full' | 'partial' | 'failing';
  readonly afterSeconds: number;
  /** Of what is available. */
  readonly share: number;
};

export type PlannedOrder = {
  readonly at: Date;
  readonly invoice: string;
  readonly course: CourseName;
  readonly consumer: Consumer;
  readonly items: readonly PlannedItem[];
  readonly mode: ModeCode;
  /** For another try after a failure. */
  readonly otherMode: ModeCode;
  readonly reason: string;
  /** The consumer got a link by e-mail, uses the checkout page, or pays on a page of the shop. */
  readonly way: 'link' | 'checkout' | 'shop';
  readonly refund: PlannedRefund | undefined;
  readonly random: Random;
};

export type PlanOptions = {
  readonly seed: number;
  readonly orders: number;
  readonly days: number;
  readonly until: Date;
};

const modes: Readonly<Record<ModeCode, { weight: number; provider: ProviderName }>> = {
  upi: { weight: 54, provider: 'partner' },
  credit_card: { weight: 19, provider: 'bank-gateway' },
  debit_card: { weight: 12, provider: 'bank-gateway' },
  net_banking: { weight: 9, provider: 'partner' },
  wallet: { weight: 6, provider: 'partner' },
};
const modeCodes = Object.keys(modes) as ModeCode[];

export const routes = Object.fromEntries(
  modeCodes.map((code) => [code, modes[code].provider] as const),
) as Readonly<Record<ModeCode, ProviderName>>;

const reasons: readonly (readonly [string, number])[] = [
  ['insufficient_funds', 30],
  ['authentication_failed', 22],
  ['payment_timed_out', 18],
  ['card_declined', 14],
  ['incorrect_otp', 9],
  ['gateway_technical_error', 7],
];

/** The last ones are of the last half hour, so that something is going on when a person looks. */
const latest: readonly (readonly [minutesAgo: number, CourseName])[] = [
  ...([
    [24, 'leaves'],
    [17, 'gives-up'],
    [9, 'leaves'],
    [3, 'never-starts'],
  ] as const),
];
const firstInvoice = 10_231;

/** Oldest first. Every course is taken at least once if there are enough orders. */
export function planOrders({ seed, orders, days, until }: PlanOptions): PlannedOrder[] {
  const past = Math.max(0, orders - latest.length);
  // The times depend on the time of day, and nothing else does.
  const random = randomOf(seed, 'times');
  const times = Array.from({ length: past }, () => timeOfOrder(random, until, days)).sort(
    (one, other) => one.getTime() - other.getTime(),
  );
  const courses = chooseCourses(randomOf(seed, 'courses'), past);
  const refunds = chooseRefunds(randomOf(seed, 'refunds'), courses);
  const entries: { at: Date; course: CourseName; refund?: PlannedRefund | undefined }[] = [
    ...times.map((at, index) => ({
      at,
      course: courses[index] ?? 'paid',
      refund: refunds.get(index),
    })),
    ...latest.slice(latest.length - (orders - past)).map(([minutes, course]) => ({
      at: new Date(until.getTime() - minutes * 60_000),
      course,
    })),
  ];
  return entries.map(({ at, course, refund }, index) => {
    const invoice = `NTH-${firstInvoice + index}`;
    return { at, course, refund, invoice, ...planDetails(randomOf(seed, invoice), course) };
  });
}

/** One of each in the first two thirds, where there is time for what follows; the others by how often they happen. */
function chooseCourses(random: Random, count: number): CourseName[] {
  const weighted = courseNames.map((name) => [name, courseOf(name).perHundred] as const);
  const courses = Array.from({ length: count }, () => pickWeighted(random, weighted));
  const step = (count * 2) / 3 / courseNames.length;
  for (const [index, name] of courseNames.entries()) {
    const at = Math.floor(index * Math.max(step, 1));
    if (at < count) courses[at] = name;
  }
  return courses;
}

const refundKinds: readonly (readonly [PlannedRefund['kind'], number])[] = [
  ['failing', 13],
  ['partial', 42],
  ['full', 45],
];
const hourSeconds = 3_600;

/** The first three that can be refunded are one of each kind; the rarest first, because it may be the only early one. */
function chooseRefunds(random: Random, courses: readonly CourseName[]): Map<number, PlannedRefund> {
  const refunds = new Map<number, PlannedRefund>();
  for (const [index, name] of courses.entries()) {
    const course: Course = courseOf(name);
    if (!course.isRefundable || course.scenario !== undefined) continue;
    const kind = refundKinds[refunds.size]?.[0] ?? pickWeighted(random, refundKinds);
    const afterSeconds = hourSeconds * (0.5 + random() * 30);
    if (refunds.size >= refundKinds.length && random() >= 0.1) continue;
    refunds.set(index, { kind, afterSeconds, share: 0.2 + random() * 0.5 });
  }
  return refunds;
}

function planDetails(random: Random, name: CourseName) {
  const { provider }: Course = courseOf(name);
  const isAbroad = provider !== 'partner' && random() < 0.06;
  const consumer = pickConsumer(random, isAbroad);
  const ways = [
    ['shop', 6],
    ['checkout', 3],
    ['link', 1],
  ] as const;
  return {
    consumer,
    items: pickItems(random),
    mode: isAbroad ? ('credit_card' as const) : pickMode(random, provider),
    otherMode: isAbroad ? ('credit_card' as const) : pickMode(random, provider),
    reason: pickWeighted(random, reasons),
    way: pickWeighted(random, ways),
    random,
  };
}

/** Those at the front of the list come back again and again. */
function pickConsumer(random: Random, isAbroad: boolean): Consumer {
  const known = consumers.filter(({ currency }) => (currency === 'INR') !== isAbroad);
  const consumer = known[Math.floor(random() ** 1.7 * known.length)];
  if (!consumer) throw new Error('there are no consumers');
  return consumer;
}

function pickMode(random: Random, provider: ProviderName | undefined): ModeCode {
  const possible = modeCodes.filter((code) => !provider || modes[code].provider === provider);
  return pickWeighted(
    random,
    possible.map((code) => [code, modes[code].weight] as const),
  );
}

function pickItems(random: Random): PlannedItem[] {
  if (random() < 0.02) return [{ ...wholesale, quantity: 6 + Math.floor(random() * 18) }];
  const weighted = teas.map((tea) => [tea, tea.weight] as const);
  const kinds = pickWeighted(random, [
    ...([
      [1, 50],
      [2, 30],
      [3, 14],
      [4, 6],
    ] as const),
  ]);
  const chosen = new Set(Array.from({ length: kinds }, () => pickWeighted(random, weighted)));
  return [...chosen].map((tea) => ({ ...tea, quantity: random() < 0.75 ? 1 : 2 }));
}
