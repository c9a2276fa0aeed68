/**
 * The explanation of an order in the field names of the API. Amounts are decimal texts with a currency beside them, as
 * everywhere in the dashboard. The sentences of the rules are in a table: one rule decides hundreds of times.
 */

import type { Change } from '../../domain/history.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { type Rule, sentenceOf } from '../../domain/payments/rules.ts';
import type { ShownAmounts } from '../../domain/why/effects.ts';
import type { OrderExplanation } from '../../domain/why/explanation.ts';
import { holdText } from '../../domain/why/text.ts';
import type { TimelineEntry } from '../../domain/why/timeline.ts';
import { createPauses, mapWithPauses } from '../../services/event-loop.ts';
import { shownUrl } from './endpoints.ts';

/** Of an explanation with amounts as texts. With pauses, because it is large, and others wait meanwhile. */
export async function explanationView(explanation: OrderExplanation) {
  const pauseIfLong = createPauses(1, 2);
  const { order, timeline, transactions, held } = explanation;
  const { amounts, ...rest } = order;
  return {
    order: { ...wire(rest), currency: amounts.currency, ...amountsView(amounts) },
    explained_at: explanation.explainedAt.toISOString(),
    timeline: {
      entries: await mapWithPauses(timeline.entries, entryView, pauseIfLong),
      older_up_to: timeline.olderUpTo?.toISOString() ?? null,
      pruned: timeline.isPruned,
    },
    rules: Object.fromEntries(listRules(explanation).map((rule) => [rule, sentenceOf(rule)])),
    transactions: await mapWithPauses(
      transactions,
      ({ fields, ...transaction }) => ({
        ...wire(transaction),
        fields: fields.map((field) => ({ flags: null, ...wire(field) })),
      }),
      pauseIfLong,
    ),
    transactions_total: explanation.transactionsTotal,
    next: explanation.nextTransactionsAfter,
    held: held.map(({ deliveryId, hold }) => ({ delivery_id: deliveryId, reason: holdText(hold) })),
  };
}

function listRules({ transactions }: OrderExplanation): Rule[] {
  const rules = transactions.flatMap(({ fields }) =>
    fields.flatMap(({ rule, lost, flags = [] }) => [
      ...[rule, ...lost.map((each) => each.rule), ...flags.map((each) => each.rule)],
    ]),
  );
  return [...new Set(rules)];
}

/** A note may mention a consumer, and the URL of an endpoint may contain a secret. Contract 13.3, 13.7. */
export function asViewersSeeIt(explanation: OrderExplanation): OrderExplanation {
  const { timeline } = explanation;
  const entries = timeline.entries.map((entry) => {
    if (entry.kind === 'flag-resolved') return { ...entry, note: '***' };
    if (entry.kind !== 'event-attempted' || entry.url === null) return entry;
    return { ...entry, url: shownUrl(entry.url, 'viewer') };
  });
  return { ...explanation, timeline: { ...timeline, entries } };
}

function entryView(entry: TimelineEntry) {
  if (entry.kind === 'order-created') {
    const { amounts, ...rest } = entry;
    return { ...wire(rest), currency: amounts.currency, ...amountsView(amounts) };
  }
  if (!('effects' in entry)) return wire(entry);
  return {
    ...wire(entry),
    effects: entry.effects.map(({ changes, ...effect }) => ({
      ...wire(effect),
      changes: changes.map(changeView),
    })),
  };
}

function changeView({ field, from, to }: Change) {
  const view = (value: unknown) =>
    field === 'amounts' && value !== null
      ? amountsView(value as ShownAmounts)
      : withSnakeCase(value);
  return { field, from: view(from), to: view(to) };
}

/** Amounts are numbers with exact decimals here, so nothing is rounded. */
function amountsView({ currency, ...amounts }: ShownAmounts) {
  const text = (amount: number) => amount.toFixed(displayExponent(currency));
  return {
    amount_before_tax: text(amounts.beforeTax),
    tax: text(amounts.tax),
    total_amount: text(amounts.total),
  };
}

export function wire(value: object): Record<string, unknown> {
  return withSnakeCase(value) as Record<string, unknown>;
}
