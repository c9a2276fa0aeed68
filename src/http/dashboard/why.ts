/** Why an order is as it is: its explanation, the same as text, and the deliveries behind it. Contract 13.5. */
import type { FastifyInstance } from 'fastify';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { isTransactionId } from '../../domain/ids.ts';
import type { OrderExplanation } from '../../domain/why/explanation.ts';
import { explanationText } from '../../domain/why/text.ts';
import type { ExplainOptions } from '../../use-cases/orders/explain-order.ts';
import type { HttpContext } from '../http-context.ts';
import { getAccount } from './dashboard-guard.ts';
import { deliveryBodyView } from './delivery-view.ts';
import { isMaskedFor } from './orders.ts';
import { type Query, readText, readTime, refuseUnknown } from './read-query.ts';
import { asViewersSeeIt, explanationView } from './why-view.ts';

type OrderParams = { readonly order_id: string };
type DeliveryParams = OrderParams & { readonly delivery_id: string };

const forViewers = {
  config: { dashboard: 'viewer', bound: 'search' },
  schema: { hide: true },
} as const;
/** It computes much, so whoever calls it all the time has to wait. */
const explaining = { ...forViewers, config: { ...forViewers.config, share: 0.02 } } as const;

export function addWhy(app: FastifyInstance, { useCases }: HttpContext): void {
  const explain = async (
    accountId: string,
    { order_id: orderId }: OrderParams,
    query: Query,
    show: Pick<ExplainOptions, 'masked' | 'amounts'>,
  ): Promise<OrderExplanation> => {
    const page = readPage(query);
    const explained = await useCases.explainOrder({ accountId, orderId }, { ...show, ...page });
    return explained ?? refuseUnknownOrder();
  };

  app.get<{ Params: OrderParams; Querystring: Query }>('/orders/:order_id/why', {
    ...explaining,
    handler: async (request) => {
      const { accountId, role } = getAccount(request);
      const masked = isMaskedFor(role);
      const explanation = await explain(accountId, request.params, request.query, {
        masked,
        amounts: 'text',
      });
      return explanationView(masked ? asViewersSeeIt(explanation) : explanation);
    },
  });

  app.get<{ Params: OrderParams; Querystring: Query }>('/orders/:order_id/why.txt', {
    ...explaining,
    handler: async (request, reply) => {
      const { accountId } = getAccount(request);
      // It is meant for a ticket, which others read: masked for everybody.
      const explanation = await explain(accountId, request.params, request.query, {
        masked: true,
      });
      return reply
        .type('text/plain; charset=utf-8')
        .send(`${explanationText(asViewersSeeIt(explanation))}\n`);
    },
  });

  app.get<{ Params: DeliveryParams }>('/orders/:order_id/deliveries/:delivery_id', {
    ...forViewers,
    handler: async (request) => {
      const { accountId } = getAccount(request);
      const { order_id: orderId, delivery_id: deliveryId } = request.params;
      const name = { accountId, deliveryId };
      const found = await useCases.findDeliveryBody(name, { masked: true });
      if (found?.delivery.orderId !== orderId) {
        throw new ServiceError('NOT_FOUND', 'The order has no such delivery.');
      }
      return deliveryBodyView(found);
    },
  });
}

function readPage(query: Query) {
  refuseUnknown(query, ['up_to', 'after']);
  const afterTransaction = readText(query, 'after');
  if (afterTransaction !== undefined && !isTransactionId(afterTransaction)) {
    refuseField('after', 'must be the next of a page');
  }
  return { upTo: readTime(query, 'up_to'), afterTransaction };
}

function refuseUnknownOrder(): never {
  throw new ServiceError('NOT_FOUND', 'The account has no such order.');
}
