/** Endpoints of the current account. Everybody sees them, operators test them, owners change them. Contract 13.7. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { type Endpoint, unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import { refuseField } from '../../domain/errors.ts';
import { eventTypes } from '../../domain/event-type.ts';
import { findAccountIdOfEndpoint } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { Role } from '../../domain/users/role.ts';
import type { AccountEndpoint } from '../../use-cases/events/list-account-endpoints.ts';
import type { HttpContext } from '../http-context.ts';
import { getAccount, getActor } from './dashboard-guard.ts';
import { isMaskedFor } from './orders.ts';

const Url = Type.String({ minLength: 1, maxLength: limits.textCharsMax });
/** Empty for all types, also those that are added later. */
const Events = Type.Array(Type.String({ maxLength: limits.textCharsMax }), {
  maxItems: eventTypes.length,
});
const NewBody = Type.Object({ url: Url, events: Type.Optional(Events) });
const ChangeBody = Type.Object({
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  enabled: Type.Optional(Type.Boolean()),
});
const overlapHoursMax = 30 * 24;
const RotateBody = Type.Object({
  overlap_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: overlapHoursMax })),
});
const usualOverlapHours = 24;
type EndpointParams = { readonly endpoint_id: string };

const forOwners = {
  config: { dashboard: 'owner' },
  bodyLimit: limits.publicBodyBytesMax,
} as const;
const countMax = 200;

export function addEndpoints(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  app.get('/endpoints', {
    config: { dashboard: 'viewer' },
    schema: { hide: true },
    handler: async (request) => {
      const { accountId, role } = getAccount(request);
      const endpoints = await useCases.listAccountEndpoints(accountId, countMax + 1);
      return {
        endpoints: endpoints.map((endpoint) => listedEndpointView(endpoint, role)),
        event_types: [...eventTypes],
      };
    },
  });

  app.post<{ Body: Static<typeof NewBody> }>('/endpoints', {
    ...forOwners,
    schema: { hide: true, body: NewBody },
    handler: async (request) => {
      const { url, events = [] } = request.body;
      const { accountId } = getAccount(request);
      const actor = getActor(request);
      const created = await useCases.createEndpoint(accountId, { url, events }, actor);
      return { ...endpointView(created), secret: created.secret };
    },
  });

  addChanges(app, context);
  addSecretAndTest(app, context);
}

function addChanges(app: FastifyInstance, { useCases }: HttpContext): void {
  app.patch<{ Params: EndpointParams; Body: Static<typeof ChangeBody> }>(
    '/endpoints/:endpoint_id',
    {
      ...forOwners,
      schema: { hide: true, body: ChangeBody },
      handler: async (request) => {
        const endpointId = getOwnEndpointId(request);
        const { url, events, enabled } = request.body;
        if (url === undefined && events === undefined && enabled === undefined) {
          refuseField('url', 'is missing: give url, events or enabled');
        }
        const change = {
          ...(url !== undefined && { url }),
          ...(events && { events }),
          ...(enabled !== undefined && { isEnabled: enabled }),
        };
        return endpointView(await useCases.updateEndpoint(endpointId, change, getActor(request)));
      },
    },
  );

  app.delete<{ Params: EndpointParams }>('/endpoints/:endpoint_id', {
    ...forOwners,
    schema: { hide: true },
    handler: async (request, reply) => {
      await useCases.deleteEndpoint(getOwnEndpointId(request), getActor(request));
      return reply.code(204).send();
    },
  });
}

function addSecretAndTest(app: FastifyInstance, { useCases }: HttpContext): void {
  app.post<{ Params: EndpointParams; Body: Static<typeof RotateBody> }>(
    '/endpoints/:endpoint_id/rotate',
    {
      ...forOwners,
      schema: { hide: true, body: RotateBody },
      handler: async (request) => {
        const endpointId = getOwnEndpointId(request);
        const { overlap_hours: hours = usualOverlapHours } = request.body;
        const actor = getActor(request);
        const rotated = await useCases.rotateEndpoint(endpointId, hours * 3_600, actor);
        return {
          endpoint_id: endpointId,
          secret: rotated.secret,
          old_valid_until: rotated.oldValidUntil.toISOString(),
        };
      },
    },
  );

  app.post<{ Params: EndpointParams }>('/endpoints/:endpoint_id/test', {
    config: { dashboard: 'operator', bound: 'test' },
    bodyLimit: limits.publicBodyBytesMax,
    schema: { hide: true },
    handler: async (request) => {
      const endpointId = getOwnEndpointId(request);
      const tested = await useCases.testEndpoint(endpointId, getActor(request));
      return {
        endpoint_id: endpointId,
        event_id: tested.eventId,
        delivered: tested.isDelivered,
        status: tested.status,
        duration_ms: tested.durationMs,
        response: tested.response,
      };
    },
  });
}

/** An id contains its account. One of another account is answered like one that does not exist. */
function getOwnEndpointId(request: FastifyRequest<{ Params: EndpointParams }>): string {
  const { endpoint_id: endpointId } = request.params;
  const isOwn = findAccountIdOfEndpoint(endpointId) === getAccount(request).accountId;
  if (!isOwn) throw unknownEndpoint(endpointId);
  return endpointId;
}

function endpointView({ endpointId, url, events, disabledReason, createdAt }: Endpoint) {
  return {
    endpoint_id: endpointId,
    url,
    events: events.length === 0 ? [...eventTypes] : [...events],
    all_events: events.length === 0,
    enabled: disabledReason === null,
    disabled_reason: disabledReason,
    created_at: createdAt.toISOString(),
  };
}

/** A path may contain a secret of the shop, so viewers see only the origin. Contract 13.7. */
export function shownUrl(url: string, role: Role): string {
  return isMaskedFor(role) ? new URL(url).origin : url;
}

export function listedEndpointView(endpoint: AccountEndpoint, role: Role) {
  return {
    ...endpointView(endpoint),
    url: shownUrl(endpoint.url, role),
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    pending: countView(endpoint.pending),
    undelivered: countView(endpoint.undelivered),
  };
}

function countView(count: number) {
  return { count: Math.min(count, countMax), more: count > countMax };
}
