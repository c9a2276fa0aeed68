/**
 * The life of an order on one timeline, oldest first: what was stored about it in the history, the inbox and the outbox,
 * each change with its cause. Pure.
 */
import type { EventType } from '../event-type.ts';
import { type CallRecord, type Cause, causeOf, type HistoryEntry } from '../history.ts';
import type { Delivery } from '../inbox/delivery.ts';
import type { ReviewResolution } from '../inbox/review.ts';
import type { Order } from '../orders/order.ts';
import type { ReviewFlag } from '../review-flag.ts';
import {
  type Effect,
  raisedFlags,
  type ShownAmounts,
  type ShowOptions,
  type StoredEffect,
  showEffects,
  shownAmounts,
} from './effects.ts';

/** A delivery without its body, with what it is about. */
export type LifeDelivery = Pick<
  Delivery,
  'deliveryId' | 'provider' | 'state' | 'why' | 'flags' | 'tries' | 'receivedAt' | 'finishedAt'
> & {
  readonly providerName: string;
  readonly event: string | null;
  readonly amount: number | string | null;
  readonly currency: string | null;
};

export type LifeEvent = {
  readonly eventId: string;
  readonly type: EventType;
  readonly transactionId: string | null;
  readonly status: string;
  readonly occurredAt: Date;
  readonly endpoints: ReadonlyArray<{
    readonly endpointId: string;
    readonly state: string;
    readonly attempts: number;
  }>;
};

export type LifeAttempt = {
  readonly eventId: string;
  readonly type: EventType;
  readonly endpointId: string;
  /** Of the endpoint as it is now; null once it is deleted. */
  readonly url: string | null;
  readonly attempt: number;
  readonly attemptedAt: Date;
  readonly httpStatus: number | null;
  readonly durationMs: number;
};

/** What is stored about an order, or a part of it. */
type OrderLife = {
  readonly order: Pick<Order, 'createdAt' | 'amounts'>;
  readonly checkout: { readonly openedAt: Date; readonly chosenAt: Date | null } | undefined;
  readonly history: readonly HistoryEntry[];
  readonly deliveries: readonly LifeDelivery[];
  readonly events: readonly LifeEvent[];
  readonly attempts: readonly LifeAttempt[];
  readonly resolutions: readonly ReviewResolution[];
};

type Changed = { readonly cause: Cause; readonly effects: readonly Effect[] };

export type TimelineEntry = { readonly at: Date } & (
  | { readonly kind: 'order-created'; readonly amounts: ShownAmounts }
  | { readonly kind: 'checkout-opened' | 'payment-mode-chosen' }
  /** A request of the shop or the consumer: update-order, initiate-payment, refund, … */
  | ({ readonly kind: 'requested'; readonly name: string } & Changed)
  | ({ readonly kind: 'provider-called' | 'provider-polled' } & Changed & {
        readonly transactionId: string | null;
        readonly call: CallRecord;
      })
  /** The effects are here if it was applied at once, and in an entry of their own otherwise. */
  | ({ readonly kind: 'delivery-received'; readonly delivery: LifeDelivery } & Changed)
  | ({ readonly kind: 'delivery-applied'; readonly deliveryId: string } & Changed)
  | ({ readonly kind: 'order-lapsed' | 'time-passed' | 'order-rebuilt' } & Changed)
  | {
      readonly kind: 'flag-raised';
      readonly subject: string | null;
      readonly flag: ReviewFlag;
      readonly cause: Cause;
    }
  | ({ readonly kind: 'flag-resolved' } & Omit<ReviewResolution, 'at'>)
  | ({ readonly kind: 'event-announced' } & Omit<LifeEvent, 'occurredAt'>)
  | ({ readonly kind: 'event-attempted' } & Omit<LifeAttempt, 'attemptedAt'>)
);

export function buildTimeline(life: OrderLife, options: ShowOptions): TimelineEntry[] {
  const steps = groupHistory(life.history);
  const received = life.deliveries.map((delivery) => toReceived(delivery, steps, options));
  const shown = new Set(received.flatMap(({ step }) => step ?? []));
  const changes = steps.filter((step) => !shown.has(step)).map((step) => toEntry(step, options));
  const entries: TimelineEntry[] = [
    { kind: 'order-created', at: life.order.createdAt, amounts: shownAmounts(life.order.amounts) },
    ...checkoutEntries(life.checkout),
    ...received.map(({ entry }) => entry),
    ...changes,
    ...steps.flatMap(flagEntries),
    ...life.events.map(({ occurredAt: at, ...event }) => {
      return { kind: 'event-announced', at, ...event } as const;
    }),
    ...life.attempts.map(({ attemptedAt: at, ...attempt }) => {
      return { kind: 'event-attempted', at, ...attempt } as const;
    }),
    ...life.resolutions.map((resolution) => ({ kind: 'flag-resolved', ...resolution }) as const),
  ];
  // Entries of the same time stay in this order: a cause, what it changed, and what announces it.
  return entries.sort((a, b) => a.at.getTime() - b.at.getTime());
}

type Step = {
  readonly at: Date;
  readonly cause: string;
  readonly call: { readonly transactionId: string | null; readonly call: CallRecord } | null;
  readonly effects: StoredEffect[];
};

/** Several calls may be saved together; each begins with its own entry. */
function groupHistory(history: readonly HistoryEntry[]): Step[] {
  const steps: Step[] = [];
  for (const { transactionId, changes, cause, happenedAt: at, call } of history) {
    const last = steps.at(-1);
    const isSame = last?.cause === cause && last.at.getTime() === at.getTime() && !call;
    const step = isSame
      ? last
      : { at, cause, call: call ? { transactionId, call } : null, effects: [] };
    if (!isSame) steps.push(step);
    if (changes.length > 0) step.effects.push({ transactionId, changes });
  }
  return steps;
}

function toReceived(delivery: LifeDelivery, steps: readonly Step[], options: ShowOptions) {
  const { deliveryId, receivedAt: at, tries } = delivery;
  // A delivery that was parked first changes the order later, in an entry of its own.
  const step = tries === 0 ? steps.find(({ cause }) => cause === deliveryId) : undefined;
  const entry: TimelineEntry = {
    kind: 'delivery-received',
    at,
    delivery,
    cause: { kind: 'delivery', deliveryId },
    effects: step ? showEffects(step.effects, options) : [],
  };
  return { entry, step };
}

function toEntry({ at, cause: text, call, effects }: Step, options: ShowOptions): TimelineEntry {
  const cause = causeOf(text);
  const changed = { at, cause, effects: showEffects(effects, options) };
  switch (cause.kind) {
    case 'delivery':
      return { kind: 'delivery-applied', deliveryId: cause.deliveryId, ...changed };
    case 'call': {
      if (!call) return { kind: 'requested', name: cause.operation, ...changed };
      const isPoll = cause.operation.startsWith('fetch-');
      return { kind: isPoll ? 'provider-polled' : 'provider-called', ...call, ...changed };
    }
    case 'request':
      return { kind: 'requested', name: cause.name, ...changed };
    case 'operator':
      return { kind: 'order-rebuilt', ...changed };
    case 'time':
      return { kind: lapses(effects) ? 'order-lapsed' : 'time-passed', ...changed };
    default:
      return cause satisfies never;
  }
}

function lapses(effects: readonly StoredEffect[]): boolean {
  return effects.some(
    ({ transactionId, changes }) =>
      transactionId === null &&
      changes.some(({ field, to }) => field === 'status' && to === 'lapsed'),
  );
}

function flagEntries({ at, cause, effects }: Step): TimelineEntry[] {
  return effects.flatMap((effect) =>
    raisedFlags(effect).map((flag) => ({
      kind: 'flag-raised' as const,
      at,
      subject: effect.transactionId,
      flag,
      cause: causeOf(cause),
    })),
  );
}

function checkoutEntries(checkout: OrderLife['checkout']): TimelineEntry[] {
  if (!checkout) return [];
  const { openedAt, chosenAt } = checkout;
  return [
    { kind: 'checkout-opened', at: openedAt },
    ...(chosenAt ? [{ kind: 'payment-mode-chosen', at: chosenAt } as const] : []),
  ];
}
