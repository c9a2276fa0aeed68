/** Update order, under the four methods and paths that shipped clients use. Contract 11.3. */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../security/tokens.ts';
import { isOpenTo } from '../../use-cases/orders/order-access.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { documentedUpdateOrderBody, UpdateOrderBody } from './order-change-schemas.ts';
import { readOrderId } from './order-id.ts';
import { FullOrderReply } from './order-reply-schemas.ts';
import { toOrderUpdate } from './order-request.ts';
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

const consumerFields = new Set([
  'order_id',
  'user',
  'shipping_address',
  'billing_address',
  'merchant_shopfront_domain',
  'callback_url',
  'callback_mode',
]);

/** Refuses every other field, unknown ones included: nothing is ignored silently for an order token. */
function refuseMerchantFields(
  caller: Caller,
  orderId: string,
  body: Readonly<Record<string, unknown>>,
): void {
  // For an order token other orders do not exist: the use case answers 404.
  if (caller.type === 'merchant' || !isOpenTo(caller, { orderId })) return;
  for (const [field, value] of Object.entries(body)) {
    if (consumerFields.has(field) || isEmpty(value)) continue;
    throw new ServiceError(
      'PERMISSION_DENIED',
      `An order token may not change ${field}: use a merchant token from generate-token.`,
    );
  }
}

/** An empty value changes nothing, so anybody may send it. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === '';
}
