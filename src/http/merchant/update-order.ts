/** Update order, under the four methods and paths that shipped clients use. Contract 11.3. */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { documentedUpdateOrderBody, UpdateOrderBody } from './order-change-schemas.ts';
import { readOrderId } from './order-id.ts';
import { FullOrderReply } from './order-reply-schemas.ts';
import { toOrderUpdate } from './order-request.ts';
import { refuseMerchantFields } from './order-token-fields.ts';
import { fullOrderView } from './order-view.ts';

const route = { method: 'POST', url: '/update-order' } as const;

/** The reference describes them with the first one. */
const aliases: ReadonlyArray<{ readonly method: HTTPMethods; readonly url: string }> = [
  { method: 'PUT', url: '/update-order' },
  { method: 'PATCH', url: '/update-order' },
  { method: 'PATCH', url: '/order' },
];

export function addUpdateOrder(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  for (const { method, url } of [route, ...aliases]) {
    app.route<{ Body: UpdateOrderBody; Reply: FullOrderReply }>({
      method,
      url,
      config: {
        access: 'order',
        documentation: {
          replyDescription: 'The order after the change.',
          errors: ['ORDER_NOT_FOUND', 'ORDER_COMPLETED', 'ORDER_LAPSED', 'ORDER_CONFLICT'],
          examples: new URL('./examples/update-order.json', import.meta.url),
          loadBody: async () => documentedUpdateOrderBody,
          aliases: aliases.map((alias) => `${alias.method} /api/v3${alias.url}`),
        },
      },
      schema: {
        hide: method !== route.method,
        operationId: 'updateOrder',
        summary: 'Update the details of an open order',
        description: 'A completed or lapsed order cannot be changed.',
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
