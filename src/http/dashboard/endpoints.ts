/** Endpoints of the current account. Everybody sees them, operators test them, owners change them. Contract 13.7. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Endpoint, unknownEndpoint } from '../../domain/accounts/endpoint.ts';
import { refuseField } from '../../domain/errors.ts';
import { eventTypes } from '../../domain/event-type.ts';
import { findAccountIdOfEndpoint } from '../../domain/ids.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { limits } from '../../domain/limits.ts';
import { countMax, limited } from '../../domain/reports/limited-count.ts';
import type { Role } from '../../domain/users/role.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import type { AccountEndpoint } from '../../use-cases/events/endpoints.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute } from './dashboard-guard.ts';
import { countView, shownUrl } from './view-parts.ts';

const Url = Type.String({ minLength: 1, maxLength: limits.textCharsMax });
/** Empty for all types, also those that are added later. */
const Events = Type.Array(Type.String({ maxLength: limits.textCharsMax }), {
  maxItems: eventTypes.length,
});
const withEndpoint = { body: Type.Object({ url: Url, events: Type.Optional(Events) }) };
const withChange = {
  body: Type.Partial(Type.Object({ url: Url, events: Events, enabled: Type.Boolean() })),
};
const overlapHoursMax = 30 * 24;
const hours = Type.Integer({ minimum: 0, maximum: overlapHoursMax });
const withOverlap = { body: Type.Object({ overlap_hours: Type.Optional(hours) }) };
const usualOverlapHours = 24;

export function addEndpoints(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /endpoints', {}, async ({ account: { accountId, role } }) => {
    const endpoints = await useCases.listAccountEndpoints(accountId, countMax + 1);
    return {
      endpoints: endpoints.map((endpoint) => listedEndpointView(endpoint, role)),
      event_types: [...eventTypes],
    };
  });

  addRoute(app, 'owner', 'POST /endpoints', withEndpoint, async (request) => {
    const { account, actor, body } = request;
    const { url, events = [] } = body;
    const created = await useCases.createEndpoint(account.accountId, { url, events }, actor);
    return { ...endpointView(created), secret: created.secret };
  });

  addRoute(app, 'owner', 'PATCH /endpoints/:endpoint_id', withChange, async (request) => {
    const endpointId = getOwnEndpointId(request);
    const { url, events, enabled } = request.body;
    if (url === undefined && events === undefined && enabled === undefined) {
      refuseField('url', 'is missing: give url, events or enabled');
    }
    const change = withoutAbsent({ url, events, isEnabled: enabled });
    return endpointView(await useCases.updateEndpoint(endpointId, change, request.actor));
  });

  addRoute(app, 'owner', 'DELETE /endpoints/:endpoint_id', {}, async (request) => {
    await useCases.deleteEndpoint(getOwnEndpointId(request), request.actor);
  });

  addRoute(app, 'owner', 'POST /endpoints/:endpoint_id/rotate', withOverlap, async (request) => {
    const endpointId = getOwnEndpointId(request);
    const { overlap_hours: hours = usualOverlapHours } = request.body;
    const rotated = await useCases.rotateEndpoint(endpointId, hours * 3_600, request.actor);
    const { secret, oldValidUntil } = rotated;
    return withSnakeCase({ endpointId, secret, oldValidUntil });
  });

  const test = 'POST /endpoints/:endpoint_id/test';
  addRoute(app, 'operator', test, { bound: 'test' }, async (request) => {
    const endpointId = getOwnEndpointId(request);
    const tested = await useCases.testEndpoint(endpointId, request.actor);
    const { eventId, isDelivered: delivered, status, durationMs, response } = tested;
    return withSnakeCase({ endpointId, eventId, delivered, status, durationMs, response });
  });
}

/** An id contains its account. One of another account is answered like one that does not exist. */
function getOwnEndpointId({
  account,
  params: { endpoint_id: endpointId },
}: FastifyRequest<{ Params: { readonly endpoint_id: string } }>): string {
  const isOwn = findAccountIdOfEndpoint(endpointId) === account.accountId;
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

export function listedEndpointView(endpoint: AccountEndpoint, role: Role) {
  return {
    ...endpointView(endpoint),
    url: shownUrl(endpoint.url, role),
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    pending: countView(limited(endpoint.pending)),
    undelivered: countView(limited(endpoint.undelivered)),
  };
}
