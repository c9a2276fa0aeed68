/** The deliveries of the providers. Everybody sees them, operators replay them. Contract 13.6. */
import type { FastifyInstance } from 'fastify';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { findAccountIdOfDelivery } from '../../domain/ids.ts';
import { type Delivery, deliveryStates } from '../../domain/inbox/delivery.ts';
import type { Translation } from '../../domain/inbox/translation.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { shownName, shownValue } from '../../domain/why/effects.ts';
import type { DeliveryBody, DescribedDelivery } from '../../use-cases/inbox/describe-contents.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, search } from './dashboard-guard.ts';
import { choiceOf, type Query, readLimit, readQuery, readText } from './read-query.ts';
import { amountText, providerView } from './view-parts.ts';

export function addInbox(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /inbox', search, async ({ account: { accountId }, query }) => {
    const { after, limit, ...filter } = readQuery(query, {
      after: (_query, name) => readCursor(accountId, query, name),
      state: choiceOf(deliveryStates),
      provider: readText,
      limit: readLimit,
    });
    const page = await useCases.listDeliveries(accountId, { filter, after, limit });
    return {
      deliveries: page.deliveries.map(listedDeliveryView),
      looked_at: page.lookedAt,
      next: page.next?.deliveryId ?? null,
    };
  });

  addRoute(app, 'viewer', 'GET /inbox/:delivery_id', search, async ({ account, params }) => {
    const key = { accountId: account.accountId, deliveryId: params.delivery_id };
    // Masked for every role: nothing about a delivery can be decided by the name of its consumer.
    const found = await useCases.findDeliveryBody(key, { masked: true });
    if (!found) throw unknownDelivery();
    return deliveryBodyView(found);
  });

  addRoute(app, 'operator', 'POST /inbox/:delivery_id/replay', {}, async (request) => {
    const { account, actor, params } = request;
    const key = { accountId: account.accountId, deliveryId: params.delivery_id };
    const outcome = await useCases.replayDelivery(actor, key);
    if (!outcome) throw unknownDelivery();
    if (outcome.kind === 'pruned') throw new ServiceError('ORDER_CONFLICT', outcome.refusal);
    return {
      outcome: outcome.kind,
      state_before: outcome.kind === 'replayed' ? outcome.stateBefore : null,
      ...deliveryView(outcome.delivery),
    };
  });
}

function readCursor(accountId: string, query: Query, name: string): string | undefined {
  const after = readText(query, name);
  if (after !== undefined && findAccountIdOfDelivery(after) !== accountId) {
    refuseField(name, 'must be the next of a page');
  }
  return after;
}

function unknownDelivery(): ServiceError {
  return new ServiceError('NOT_FOUND', 'The account has no delivery with this id.');
}

type Shown = Omit<Delivery, 'headers' | 'body' | 'deliveryKey' | 'expectedMerchant'>;

function deliveryView(delivery: Shown) {
  return {
    delivery_id: delivery.deliveryId,
    ...providerView(delivery.provider),
    state: delivery.state,
    why: delivery.why,
    flags: delivery.flags,
    order_id: delivery.orderId,
    tries: delivery.tries,
    next_try_at: delivery.nextTryAt?.toISOString() ?? null,
    received_at: delivery.receivedAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}

export function listedDeliveryView({ event, amount, currency, ...delivery }: DescribedDelivery) {
  return { ...deliveryView(delivery), event, ...moneyView(amount, currency) };
}

export function deliveryBodyView({ delivery, event, headers, body, understood }: DeliveryBody) {
  return {
    ...deliveryView(delivery),
    event,
    event_id: delivery.eventId,
    headers,
    body,
    body_pruned: body === null,
    erased: delivery.isErased ?? false,
    understood: understood && understoodView(understood),
  };
}

/** An amount without a currency cannot be written. */
function moneyView(amount: number | null, currency: string | null) {
  const isKnown = amount !== null && currency !== null;
  return { amount: isKnown ? amountText(amount, currency) : null, currency };
}

/** What was understood of a delivery, in the field names of the API: a notice field by field, or why it is none. */
function understoodView(understood: Translation) {
  if (understood.kind !== 'notice') return withSnakeCase(understood);
  const { references, payment, refund } = understood.notice;
  return {
    kind: 'notice',
    references: withSnakeCase(references),
    payment: payment ? noticeView(payment) : null,
    refund: refund ? noticeView(refund) : null,
  };
}

/** Times and amounts of a notice are in milliseconds and minor units. */
function noticeView(notice: { readonly currency?: string }) {
  const { currency = null } = notice;
  const show = (field: string, value: unknown) =>
    withSnakeCase(shownValue(field, value, currency, 'text'));
  return Object.fromEntries(
    Object.entries(notice).map(([name, value]) => {
      if (name === 'statusSinceMs') return ['status_since', show('statusSinceAtMs', value)];
      if (name !== 'capturedTotal') return [shownName(name), show(name, value)];
      const [total] = show('parts', [value]) as unknown[];
      return ['captured_total', total];
    }),
  );
}
