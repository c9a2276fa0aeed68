/** Why an order is as it is: its explanation, the same as text, and the deliveries behind it. Contract 13.5. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import type { Change } from '../../domain/history.ts';
import { isTransactionId } from '../../domain/ids.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { type Rule, ruleSentences } from '../../domain/payments/rules.ts';
import type { ShownAmounts } from '../../domain/why/effects.ts';
import type { OrderExplanation } from '../../domain/why/explanation.ts';
import { explanationText, holdTexts } from '../../domain/why/text.ts';
import type { TimelineEntry } from '../../domain/why/timeline.ts';
import { createPauses, mapWithPauses } from '../../services/event-loop.ts';
import type { ExplainOptions } from '../../use-cases/orders/explain-order.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, search } from './dashboard-guard.ts';
import { deliveryBodyView } from './inbox.ts';
import { type Query, readQuery, readText, readTime } from './read-query.ts';
import { isMaskedFor, shownUrl } from './view-parts.ts';

/** It computes much, so whoever calls it all the time has to wait. */
export const explaining = { ...search, share: 0.02 };

export function addWhy(app: FastifyInstance, { useCases }: HttpContext): void {
  const explain = async (
    { account, params, query }: ExplainRequest,
    show: Pick<ExplainOptions, 'masked' | 'amounts'>,
  ): Promise<OrderExplanation> => {
    const key = { accountId: account.accountId, orderId: params.order_id };
    const explained = await useCases.explainOrder(key, { ...show, ...readPage(query) });
    if (!explained) throw new ServiceError('NOT_FOUND', 'The account has no such order.');
    return explained;
  };

  addRoute(app, 'viewer', 'GET /orders/:order_id/why', explaining, async (request) => {
    const masked = isMaskedFor(request.account.role);
    const explanation = await explain(request, { masked, amounts: 'text' });
    return explanationView(masked ? asViewersSeeIt(explanation) : explanation);
  });

  addRoute(app, 'viewer', 'GET /orders/:order_id/why.txt', explaining, async (request, reply) => {
    // It is meant for a ticket, which others read: masked for everybody.
    const explanation = await explain(request, { masked: true });
    return reply
      .type('text/plain; charset=utf-8')
      .send(`${explanationText(asViewersSeeIt(explanation))}\n`);
  });

  const delivery = 'GET /orders/:order_id/deliveries/:delivery_id';
  addRoute(app, 'viewer', delivery, search, async ({ account, params }) => {
    const key = { accountId: account.accountId, deliveryId: params.delivery_id };
    const found = await useCases.findDeliveryBody(key, { masked: true });
    if (found?.delivery.orderId !== params.order_id) {
      throw new ServiceError('NOT_FOUND', 'The order has no such delivery.');
    }
    return deliveryBodyView(found);
  });
}

type ExplainRequest = FastifyRequest<{
  Params: { readonly order_id: string };
  Querystring: Query;
}>;

function readPage(query: Query) {
  const { up_to, after } = readQuery(query, { after: readTransactionId, up_to: readTime });
  return { upTo: up_to, afterTransaction: after };
}

function readTransactionId(query: Query, name: string): string | undefined {
  const text = readText(query, name);
  if (text !== undefined && !isTransactionId(text)) refuseField(name, 'must be the next of a page');
  return text;
}

/** Sentences are in a table: one rule decides hundreds of times. With pauses, because it is large, and others wait. */
async function explanationView(explanation: OrderExplanation) {
  const pauseIfLong = createPauses(1, 2);
  const { order, timeline, transactions, held } = explanation;
  const { amounts, ...rest } = order;
  return {
    order: { ...withSnakeCase(rest), currency: amounts.currency, ...amountsView(amounts) },
    explained_at: explanation.explainedAt.toISOString(),
    timeline: {
      entries: await mapWithPauses(timeline.entries, entryView, pauseIfLong),
      older_up_to: timeline.olderUpTo?.toISOString() ?? null,
      pruned: timeline.isPruned,
    },
    rules: Object.fromEntries(listRules(explanation).map((rule) => [rule, ruleSentences[rule]])),
    transactions: await mapWithPauses(
      transactions,
      ({ fields, ...transaction }) => ({
        ...withSnakeCase(transaction),
        fields: fields.map((field) => ({ flags: null, ...withSnakeCase(field) })),
      }),
      pauseIfLong,
    ),
    transactions_total: explanation.transactionsTotal,
    next: explanation.nextTransactionsAfter,
    held: held.map(({ deliveryId, hold }) => ({
      delivery_id: deliveryId,
      reason: holdTexts[hold],
    })),
  };
}

function listRules({ transactions }: OrderExplanation): Rule[] {
  const rules = transactions.flatMap(({ fields }) =>
    fields.flatMap(({ rule, lost, flags = [] }) => [
      rule,
      ...[...lost, ...flags].map((each) => each.rule),
    ]),
  );
  return [...new Set(rules)];
}

/** A note may mention a consumer, and the URL of an endpoint may contain a secret. Contract 13.3, 13.7. */
function asViewersSeeIt(explanation: OrderExplanation): OrderExplanation {
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
    return { ...withSnakeCase(rest), currency: amounts.currency, ...amountsView(amounts) };
  }
  if (!('effects' in entry)) return withSnakeCase(entry);
  return {
    ...withSnakeCase(entry),
    effects: entry.effects.map(({ changes, ...effect }) => ({
      ...withSnakeCase(effect),
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
