/** Events of the current account, and sending them again. Contract 13.7. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { maskAddress, maskName, maskPhone, maskUpiId } from '../../domain/consumers/mask.ts';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { type EventKey, eventIdOf, findEventKey, isOrderId } from '../../domain/ids.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { limits } from '../../domain/limits.ts';
import type { Role } from '../../domain/users/role.ts';
import type { AccountEvent } from '../../use-cases/events/list-events.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, search } from './dashboard-guard.ts';
import {
  choiceOf,
  type Query,
  readLimit,
  readNeededTime,
  readQuery,
  readText,
} from './read-query.ts';
import { isMaskedFor, shownUrl } from './view-parts.ts';

const EndpointField = Type.Optional(Type.String({ maxLength: limits.textCharsMax }));
const withEndpoint = { body: Type.Object({ endpoint_id: EndpointField }) };
const withSince = {
  body: Type.Object({
    since: Type.String({ maxLength: limits.textCharsMax }),
    endpoint_id: EndpointField,
  }),
};

export function addEvents(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /events', search, async ({ account: { accountId }, query }) => {
    const page = await useCases.listEvents(accountId, readPage(accountId, query));
    return {
      events: page.rows.map(listedEventView),
      next: page.next ? `${eventIdOf(page.next)}/${page.next.endpointId}` : null,
    };
  });

  addRoute(app, 'viewer', 'GET /events/:event_id', search, async (request) => {
    const event = await useCases.findAccountEvent(getOwnEvent(request));
    if (!event) throw unknownEvent(request.params.event_id);
    return eventView(event, request.account.role);
  });

  addRoute(app, 'operator', 'POST /events/:event_id/resend', withEndpoint, async (request) => {
    const event = getOwnEvent(request);
    const { event_id: eventId } = request.params;
    if (!(await useCases.findAccountEvent(event))) throw unknownEvent(eventId);
    const { endpoint_id: endpointId } = request.body;
    const { resent, pruned } = await useCases.resendEvents({ event }, endpointId, request.actor);
    if (resent === 0) throw notResent(eventId, pruned > 0);
    return { resent };
  });

  addRoute(app, 'operator', 'POST /events/resend', withSince, async (request) => {
    const { account, actor, body } = request;
    const { resent, isMore } = await useCases.resendUndelivered(actor, {
      accountId: account.accountId,
      endpointId: body.endpoint_id,
      since: readNeededTime(body, 'since'),
    });
    return { resent, more: isMore };
  });
}

function readPage(accountId: string, query: Query) {
  const { order_id, state, endpoint, limit, after } = readQuery(query, {
    order_id: readOrderId,
    state: choiceOf(['pending', 'delivered', 'undelivered']),
    endpoint: readText,
    limit: readLimit,
    after: readText,
  });
  const filter = { orderId: order_id, state, endpointId: endpoint };
  return { filter, limit, after: findCursor(accountId, after) };
}

function readOrderId(query: Query, name: string): string | undefined {
  const orderId = readText(query, name);
  if (orderId !== undefined && !isOrderId(orderId)) refuseField(name, 'must be an order id');
  return orderId;
}

function findCursor(accountId: string, text: string | undefined) {
  if (text === undefined) return undefined;
  const [eventId = '', endpointId = ''] = text.split('/');
  const key = findEventKey(eventId);
  if (key?.accountId === accountId && endpointId !== '') return { ...key, endpointId };
  return refuseField('after', 'must be the next of the page before');
}

function notResent(eventId: string, isPruned: boolean): ServiceError {
  return new ServiceError(
    'INVALID_REQUEST_PARAMETER',
    isPruned
      ? `Event ${eventId} cannot be sent again: its body was deleted with age (EVENT_DAYS).`
      : `Event ${eventId} was for no endpoint that still exists.`,
  );
}

/** An id contains its account. One of another account is answered like one that does not exist. */
function getOwnEvent({
  account,
  params: { event_id: eventId },
}: FastifyRequest<{ Params: { readonly event_id: string } }>): EventKey {
  const key = findEventKey(eventId);
  if (key?.accountId !== account.accountId) throw unknownEvent(eventId);
  return key;
}

function unknownEvent(eventId: string): ServiceError {
  return new ServiceError('NOT_FOUND', `There is no event ${eventId}.`);
}

type Listed = AccountEvent['endpoints'][number];

export function listedEventView(event: Omit<Listed, 'url'>) {
  return {
    event_id: eventIdOf(event),
    event_type: event.type,
    sequence: event.sequence,
    order_id: event.orderId,
    endpoint_id: event.endpointId,
    occurred_at: event.occurredAt.toISOString(),
    ...stateView(event),
  };
}

function stateView({ state, attempts, nextAttemptAt }: Omit<Listed, 'url'>) {
  return withSnakeCase({ state, attempts, nextAttemptAt });
}

export function eventView(event: AccountEvent, role: Role) {
  const isMasked = isMaskedFor(role);
  const body = event.body?.toString('utf8') ?? null;
  return {
    event: {
      event_id: eventIdOf(event),
      event_type: event.type,
      sequence: event.sequence,
      order_id: event.orderId,
      transaction_id: event.transactionId,
      status: event.status,
      occurred_at: event.occurredAt.toISOString(),
      body: body !== null && isMasked ? maskEventBody(body) : body,
      body_pruned: body === null,
    },
    endpoints: event.endpoints.map((one) => ({
      endpoint_id: one.endpointId,
      url: shownUrl(one.url, role),
      ...stateView(one),
    })),
    attempts: event.attempts.map(
      ({ endpointId, attemptedAt: at, status, durationMs, response }) => ({
        ...withSnakeCase({ endpointId, at, status, durationMs }),
        // A shop may answer with what it got, or with anything else about the consumer.
        response: isMasked ? null : response,
      }),
    ),
  };
}

type Fields = Readonly<Record<string, unknown>>;

const masks: Readonly<Record<string, (text: string) => string>> = {
  email: maskAddress,
  first_name: maskName,
  last_name: maskName,
  mobile_number: maskPhone,
};

/** A sealed body has no such fields and stays as it is. */
function maskEventBody(text: string): string {
  const body = JSON.parse(text) as Fields;
  const { user, transaction } = body;
  return JSON.stringify({
    ...body,
    ...(isFields(user) && { user: maskFields(user) }),
    ...(isFields(transaction) && {
      transaction: { ...transaction, sub_payment_mode: maskUpiId(transaction.sub_payment_mode) },
    }),
  });
}

function maskFields(user: Fields): Fields {
  const shown = Object.entries(user).map(([name, value]) => {
    const mask = masks[name];
    return [name, mask && value !== null ? mask(String(value)) : value];
  });
  return Object.fromEntries(shown);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
