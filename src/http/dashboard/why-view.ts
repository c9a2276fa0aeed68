/**
 * The explanation of an order in the field names of the API. Amounts are decimal texts with a currency beside them, as
 * everywhere in the dashboard. The sentences of the rules are in a table: one rule decides hundreds of times.
 */
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { type Rule, sentenceOf } from '../../domain/payments/rules.ts';
import type { OrderExplanation, ShownField } from '../../domain/why/explanation.ts';
import { isAmountName } from '../../domain/why/shown.ts';
import { holdText } from '../../domain/why/text.ts';
import type { TimelineEntry } from '../../domain/why/timeline.ts';
import { createPauses, mapWithPauses } from '../../services/event-loop.ts';
import { shownUrl } from './endpoints.ts';

/** With pauses, because it is large, and others wait meanwhile. */
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
        fields: fields.map((field) => fieldView(field, transaction.currency)),
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
  const { effects, ...rest } = entry;
  return {
    ...withDeliveryAmount(rest),
    effects: effects.map(({ transactionId, currency, changes }) => ({
      transaction_id: transactionId,
      currency,
      changes: changes.map(({ field, from, to }) => ({
        field,
        from: valueView(field, from, currency),
        to: valueView(field, to, currency),
      })),
    })),
  };
}

function withDeliveryAmount(rest: object) {
  if (!('delivery' in rest)) return wire(rest);
  const { delivery, ...entry } = rest as Pick<
    Extract<TimelineEntry, { kind: 'delivery-received' }>,
    'delivery'
  >;
  const { amount, currency } = delivery;
  return {
    ...wire(entry),
    delivery: { ...wire(delivery), amount: valueView('amount', amount, currency) },
  };
}

function fieldView(field: ShownField, currency: string | null) {
  const { value, previous, lost, rule, flags, ...rest } = field;
  const view = (one: unknown) => valueView(field.field, one, currency);
  return {
    ...wire(rest),
    value: view(value),
    rule,
    previous: previous && { ...wire(previous), value: view(previous.value) },
    lost: lost.map((each) => ({
      source: wire(each.source),
      value: view(each.value),
      rule: each.rule,
    })),
    flags:
      flags?.map((each) => ({
        flag: each.flag,
        rule: each.rule,
        set_by: each.setBy.map((source) => wire(source)),
      })) ?? null,
  };
}

/** Amounts are numbers with exact decimals here, so nothing is rounded. */
export function valueView(name: string, value: unknown, currency: string | null): unknown {
  if (typeof value === 'number' && currency !== null && (isAmountName(name) || isSum(name))) {
    return value.toFixed(displayExponent(currency));
  }
  if (name === 'amounts' && isRecord(value)) {
    return amountsView(value as OrderExplanation['order']['amounts']);
  }
  if ((name === 'captures' || name === 'parts') && Array.isArray(value)) {
    return value.map((part) => ({
      ...wire(part),
      amount: valueView('amount', part.amount, currency),
    }));
  }
  return withSnakeCase(value);
}

/** A report of a capture mentions the captures by its own amount. */
function isSum(name: string): boolean {
  return name === 'captures';
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function amountsView({ currency, ...amounts }: OrderExplanation['order']['amounts']) {
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
