/** The deliveries of the providers. Everybody sees them, operators replay them. Contract 13.6. */
import type { FastifyInstance } from 'fastify';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { findAccountIdOfDelivery } from '../../domain/ids.ts';
import { deliveryStates } from '../../domain/inbox/delivery.ts';
import { limits } from '../../domain/limits.ts';
import type { HttpContext } from '../http-context.ts';
import { getAccount, getActor } from './dashboard-guard.ts';
import { deliveryBodyView, deliveryView, listedDeliveryView } from './delivery-view.ts';
import { type Query, readChoice, readLimit, readText, refuseUnknown } from './read-query.ts';

type DeliveryParams = { readonly delivery_id: string };

const forViewers = {
  config: { dashboard: 'viewer', bound: 'search' },
  schema: { hide: true },
} as const;

export function addInbox(app: FastifyInstance, { useCases }: HttpContext): void {
  app.get<{ Querystring: Query }>('/inbox', {
    ...forViewers,
    handler: async (request) => {
      const { query } = request;
      refuseUnknown(query, ['state', 'provider', 'after', 'limit']);
      const { accountId } = getAccount(request);
      const after = readText(query, 'after');
      if (after !== undefined && findAccountIdOfDelivery(after) !== accountId) {
        refuseField('after', 'must be the next of a page');
      }
      const page = await useCases.listDeliveries(accountId, {
        filter: {
          state: readChoice(query, 'state', deliveryStates),
          provider: readText(query, 'provider'),
        },
        ...{ after, limit: readLimit(query) },
      });
      return {
        deliveries: page.deliveries.map(listedDeliveryView),
        ...{ looked_at: page.lookedAt, next: page.next?.deliveryId ?? null },
      };
    },
  });

  app.get<{ Params: DeliveryParams }>('/inbox/:delivery_id', {
    ...forViewers,
    handler: async (request) => {
      const { accountId } = getAccount(request);
      const { delivery_id: deliveryId } = request.params;
      // Masked for every role: nothing about a delivery can be decided by the name of its consumer.
      const found = await useCases.findDeliveryBody({ accountId, deliveryId }, { masked: true });
      if (!found) throw unknownDelivery();
      return deliveryBodyView(found);
    },
  });

  app.post<{ Params: DeliveryParams }>('/inbox/:delivery_id/replay', {
    config: { dashboard: 'operator' },
    bodyLimit: limits.publicBodyBytesMax,
    schema: { hide: true },
    handler: async (request) => {
      const { accountId } = getAccount(request);
      const { delivery_id: deliveryId } = request.params;
      const outcome = await useCases.replayDelivery(getActor(request), { accountId, deliveryId });
      if (!outcome) throw unknownDelivery();
      if (outcome.kind === 'pruned') throw new ServiceError('ORDER_CONFLICT', outcome.refusal);
      return {
        outcome: outcome.kind,
        state_before: outcome.kind === 'replayed' ? outcome.stateBefore : null,
        ...deliveryView(outcome.delivery),
      };
    },
  });
}

function unknownDelivery(): ServiceError {
  return new ServiceError('NOT_FOUND', 'The account has no delivery with this id.');
}
