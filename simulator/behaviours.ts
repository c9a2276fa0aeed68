/** What each scenario does at the providers, as a table that pages, tests and chaos choose from. */

import type { GatewayCourse } from './bank-gateway/courses.ts';
import type { DisputePlan } from './dispute-steps.ts';

export type ScenarioName =
  | ReturnType<typeof scenarioNames>[number]
  /** Each reference gets a scenario of its own, by seed. */
  | 'chaos';

export type Behaviour = {
  readonly says: string;
  readonly payment: 'paid' | 'declined' | 'declined-then-paid' | 'first-try-declined';
  /** What follows after the bank's approval. */
  readonly partner:
    | 'captured'
    | 'captured-later'
    | 'released'
    | 'discounted'
    /** The consumer pays the partner's fee on top. */
    | 'charged-fee';
  readonly gateway: GatewayCourse;
  /** What consumers claim back through their bank, once the payment is captured. */
  readonly disputes: readonly DisputePlan[];
  readonly refund: RefundBehaviour;
  /** What becomes of captures and voids that the shop requests. The partner has no voids, and decides at once. */
  readonly captures: CaptureBehaviour;
  /** What happens to the first calls that start something. */
  readonly calls: 'prompt' | 'down' | 'slow' | 'lost' | 'lost-then-refused' | 'limited';
  /** Lists that lag behind leave out what is new. */
  readonly lists: 'current' | 'lagging';
  readonly webhooks: 'in-order' | 'reversed' | 'never';
  readonly firstTry: 'whole' | 'wrong-signature' | 'cut-off';
  readonly copies: number;
};

export type RefundBehaviour =
  | 'processed'
  | 'failed'
  /** Reported as failed, and made later. */
  | 'failed-then-processed'
  /** Of a refund that takes several calls, the second one is declined. */
  | 'second-part-declined';

export type CaptureBehaviour =
  | 'made'
  | 'declined'
  /** Pending at first. */
  | 'pending-then-made'
  | 'pending-then-declined';

const happy: Behaviour = {
  says: 'Payments and refunds succeed; each webhook is sent once and in order.',
  payment: 'paid',
  partner: 'captured',
  gateway: 'paid',
  disputes: [],
  refund: 'processed',
  captures: 'made',
  calls: 'prompt',
  lists: 'current',
  webhooks: 'in-order',
  firstTry: 'whole',
  copies: 1,
};

const table = {
  happy,
  decline: {
    ...happy,
    says: 'The bank declines; the reason can be chosen.',
    payment: 'declined',
  },
  'late-success': {
    ...happy,
    says: 'A payment is reported as failed and captured later.',
    payment: 'declined-then-paid',
  },
  'second-attempt': {
    ...happy,
    says: 'The first attempt on the page is declined, the second is paid.',
    payment: 'first-try-declined',
  },
  'refund-failing': {
    ...happy,
    says: 'Refunds are accepted and fail later.',
    refund: 'failed',
  },
  'refund-late': {
    ...happy,
    says: 'Refunds are reported as failed and made later.',
    refund: 'failed-then-processed',
  },
  'duplicate-storm': {
    ...happy,
    says: 'Each webhook is sent twenty times concurrently.',
    copies: 20,
  },
  swapped: {
    ...happy,
    says: 'Webhooks of a payment and its refunds are sent in reverse order.',
    webhooks: 'reversed',
  },
  'lost-webhook': {
    ...happy,
    says: 'No webhook is sent; only the APIs report the state.',
    webhooks: 'never',
  },
  'wrong-signature': {
    ...happy,
    says: 'The first attempt of each webhook is signed with another secret.',
    firstTry: 'wrong-signature',
  },
  truncated: {
    ...happy,
    says: 'The first attempt of each webhook is cut off in the middle.',
    firstTry: 'cut-off',
  },
  'provider-down': {
    ...happy,
    says: 'The first calls that start something fail without effect: broken connections and 503.',
    calls: 'down',
  },
  slow: {
    ...happy,
    says: 'The first call that starts something takes effect immediately and is answered late.',
    calls: 'slow',
  },
  'answer-lost': {
    ...happy,
    says: 'The first calls that start something take effect, and their answers are lost: broken connections and 504.',
    calls: 'lost',
  },
  'repeat-refused': {
    ...happy,
    says: 'The first calls that start something take effect, their answers are lost, lists lag behind, and a repeat is refused.',
    calls: 'lost-then-refused',
    lists: 'lagging',
  },
  'rate-limited': {
    ...happy,
    says: 'The first calls are refused because there are too many: by 429, and in the partner’s two other ways.',
    calls: 'limited',
  },
  'lists-lagging': {
    ...happy,
    says: 'No webhook is sent, and lists leave out what is new.',
    webhooks: 'never',
    lists: 'lagging',
  },
  'manual-capture': {
    ...happy,
    says: 'A payment stays authorized at first and is captured later, at the provider if the shop does not.',
    partner: 'captured-later',
    gateway: 'captured-later',
  },
  release: {
    ...happy,
    says: 'A payment is authorized and, unless the shop captures it, soon released.',
    partner: 'released',
    gateway: 'released',
  },
  'capture-declined': {
    ...happy,
    says: 'Captures and voids that the shop requests are declined.',
    captures: 'declined',
  },
  'capture-pending': {
    ...happy,
    says: 'Gateway: captures and voids that the shop requests are pending at first, then made.',
    captures: 'pending-then-made',
  },
  'capture-declined-late': {
    ...happy,
    says: 'Gateway: captures and voids that the shop requests are pending at first, then declined.',
    captures: 'pending-then-declined',
  },
  'partial-capture': {
    ...happy,
    says: 'Gateway: 60 % is captured first, then the remainder.',
    gateway: 'captured-in-parts',
  },
  'refund-declined-in-part': {
    ...happy,
    says: 'Gateway: captured in two parts. The second part of a refund of both is declined.',
    gateway: 'captured-in-parts',
    refund: 'second-part-declined',
  },
  'partial-capture-only': {
    ...happy,
    says: 'Gateway: 60 % is captured, then the remainder is voided.',
    gateway: 'captured-in-part',
  },
  'void-and-capture-again': {
    ...happy,
    says: 'Gateway: a capture is voided, then captured again.',
    gateway: 'captured-again',
  },
  void: {
    ...happy,
    says: 'Gateway: a payment succeeds and is voided.',
    gateway: 'voided',
  },
  chargeback: {
    ...happy,
    says: 'A payment succeeds, then the consumer’s bank takes it back.',
    disputes: [{ share: 1, steps: ['lost'] }],
  },
  'dispute-won': {
    ...happy,
    says: 'Partner: a payment is disputed. The shop is asked for evidence, and wins the dispute.',
    disputes: [{ share: 1, steps: ['action_required', 'under_review', 'won'] }],
  },
  offer: {
    ...happy,
    says: 'Partner: an offer takes 10 % off what the consumer pays.',
    partner: 'discounted',
  },
  fee: {
    ...happy,
    says: 'Partner: the consumer pays a fee on top of the amount.',
    partner: 'charged-fee',
  },
} as const satisfies Record<string, Behaviour>;

export function scenarioNames() {
  return Object.keys(table) as (keyof typeof table)[];
}

export function behaviourOf({ name, behaviour }: NamedBehaviour): Behaviour {
  // Chaos is resolved to another scenario before it is used.
  return { ...(name === 'chaos' ? happy : table[name]), ...behaviour };
}

type NamedBehaviour = {
  readonly name: ScenarioName;
  /** Replaces parts of what the name says. */
  readonly behaviour?: Partial<Behaviour>;
};

export function isScenarioName(value: unknown): value is ScenarioName {
  return value === 'chaos' || (typeof value === 'string' && Object.hasOwn(table, value));
}
