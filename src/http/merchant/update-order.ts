/** Update order, under the four methods and paths that shipped clients use. Contract 11.3. */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import type { Edge } from '../edge.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import { UpdateOrderBody } from './order-change-schemas.ts';
import { readOrderId } from './order-id.ts';
import { FullOrderReply } from './order-reply-schemas.ts';
import { toOrderUpdate } from './order-request.ts';
import { refuseMerchantFields } from './order-token-fields.ts';
import { fullOrderView } from './order-view.ts';

const routes: ReadonlyArray<readonly [HTTPMethods, url: string, operationId: string]> = [
  ['POST', '/update-order', 'updateOrder'],
  ['PUT', '/update-order', 'updateOrderByPut'],
  ['PATCH', '/update-order', 'updateOrderByPatch'],
  ['PATCH', '/order', 'patchOrder'],
];

export function addUpdateOrder(app: FastifyInstance, { useCases, clock }: Edge): void {
  for (const [method, url, operationId] of routes) {
    app.route<{ Body: UpdateOrderBody; Reply: FullOrderReply }>({
      method,
      url,
      config: { access: 'order' },
      schema: {
        operationId,
        summary: 'Update the details of an open order',
        tags: ['Orders'],
        body: UpdateOrderBody,
        response: { 200: FullOrderReply, ...errorReplies },
      },
      handler: async (request) => {
        const caller = getCaller(request);
        const orderId = readOrderId(caller, request.body);
        refuseMerchantFields(caller, orderId, request.body);
        const { order, token } = await useCases.updateOrder(caller, {
          orderId,
          update: toOrderUpdate(request.body),
        });
        const masked = caller.type !== 'merchant';
        return fullOrderView(order, { token, masked, now: clock() });
      },
    });
  }
}
