/**
 * The life of an order in plain sentences, for somebody who does not know this service: evidence in a dispute. What is the
 * shop's own business, such as flags, notes and calls, is left out. Pure. Contract 17.6.
 */
import type { Dispute } from '../disputes/dispute.ts';
import { displayExponent } from '../money/currency.ts';
import { formatAmount } from '../money/money.ts';
import type { Transaction } from '../payments/transaction.ts';
import { amountText, type Effect } from './effects.ts';
import type { TimelineEntry } from './timeline.ts';

type EvidenceStep = { readonly at: Date; readonly text: string };

/** The entries have amounts as numbers. */
export function listEvidenceSteps(
  entries: readonly TimelineEntry[],
  transactions: readonly Transaction[],
): EvidenceStep[] {
  const names = new Map(transactions.map((entry) => [entry.transactionId, nameOf(entry)]));
  return entries.flatMap((entry) =>
    sentencesOf(entry, names).map((text) => ({ at: entry.at, text })),
  );
}

function nameOf({ type, amount, currency }: Transaction): string {
  const title = type === 'payment' ? 'Payment' : 'Refund';
  if (amount === null || currency === null) return title;
  return `${title} of ${formatAmount(amount, displayExponent(currency))} ${currency}`;
}

function sentencesOf(entry: TimelineEntry, names: ReadonlyMap<string, string>): string[] {
  switch (entry.kind) {
    case 'order-created':
      return [`Order created for ${amountText(entry.amounts.total, entry.amounts.currency)}.`];
    case 'checkout-opened':
      return ['The consumer opened the checkout page.'];
    case 'payment-mode-chosen':
      return ['The consumer chose a way to pay.'];
    default:
      return 'effects' in entry ? entry.effects.flatMap((effect) => changesIn(effect, names)) : [];
  }
}

function changesIn(
  { transactionId, changes }: Effect,
  names: ReadonlyMap<string, string>,
): string[] {
  return changes.flatMap(({ field, from, to }) => {
    if (field === 'status') {
      const words = statusWords[String(to)];
      const name = transactionId === null ? 'Order' : names.get(transactionId);
      return words && name ? [`${name} ${words}.`] : [];
    }
    return field === 'disputes' ? disputeChanges(asDisputes(from), asDisputes(to)) : [];
  });
}

/** Of orders, payments and refunds. */
const statusWords: Readonly<Record<string, string | undefined>> = {
  new: 'started',
  pending: 'sent to the provider',
  authorized: 'authorised by the bank',
  succeeded: 'succeeded',
  failed: 'failed',
  reversing: 'is being taken back',
  reversed: 'was taken back',
  completed: 'completed',
  lapsed: 'lapsed',
};

type ShownDispute = Pick<Dispute, 'disputeId' | 'status'>;

const asDisputes = (value: unknown) => (Array.isArray(value) ? (value as ShownDispute[]) : []);

function disputeChanges(before: readonly ShownDispute[], after: readonly ShownDispute[]) {
  return after
    .filter(
      ({ disputeId, status }) =>
        before.find((known) => known.disputeId === disputeId)?.status !== status,
    )
    .map(({ disputeId, status }) => `Dispute ${disputeId} is ${status.replaceAll('_', ' ')}.`);
}

/** The events that were announced to the shop, and when the shop first took each; null if it has not. */
export function listSentEvents(entries: readonly TimelineEntry[]) {
  const takenAt = new Map<string, Date>();
  for (const entry of entries) {
    if (entry.kind !== 'event-attempted' || takenAt.has(entry.eventId)) continue;
    const { httpStatus } = entry;
    if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
      takenAt.set(entry.eventId, entry.at);
    }
  }
  return entries.flatMap((entry) =>
    // That a person should look at the order is no news about it.
    entry.kind === 'event-announced' && entry.type !== 'review_needed'
      ? [
          {
            eventId: entry.eventId,
            type: entry.type,
            at: entry.at,
            takenAt: takenAt.get(entry.eventId) ?? null,
          },
        ]
      : [],
  );
}
