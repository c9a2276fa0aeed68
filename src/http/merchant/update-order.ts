/** Update order, under the four methods and paths that shipped clients use. Contract 11.3. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../security/tokens.ts';
import { isOpenTo } from '../../use-cases/orders/order-access.ts';
import type { HttpContext } from '../http-context.ts';
import { refined } from '../open-api/fields.ts';
import { readClientNames } from './client-names.ts';
import { addOperation } from './operation.ts';
import { FullOrderReply } from './order-reply-schemas.ts';
import { readOrderId, toOrderUpdate } from './order-request.ts';
import { documentedCallbackMode, UpdateOrderBody } from './order-schemas.ts';
import { fullOrderView } from './order-view.ts';

const aliases = ['PUT /update-order', 'PATCH /update-order', 'PATCH /order'];

export function addUpdateOrder(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  for (const route of ['POST /update-order', ...aliases]) {
    addOperation(app, route, {
      operationId: 'updateOrder',
      isAlias: aliases.includes(route),
      tag: 'Orders',
      access: 'order',
      summary: 'Update the details of an open order',
      description: 'A completed or lapsed order cannot be changed.',
      body: UpdateOrderBody,
      prepareBody: readClientNames,
      documentedBody: refined(UpdateOrderBody, { callback_mode: documentedCallbackMode }),
      reply: FullOrderReply,
      replyDescription: 'The order after the change.',
      errors: ['ORDER_NOT_FOUND', 'ORDER_COMPLETED', 'ORDER_LAPSED', 'ORDER_CONFLICT'],
      aliases: aliases.map((alias) => alias.replace(' ', ' /api/v3')),
      handler: async (request) => {
        const { caller, body } = request;
        const orderId = readOrderId(request);
        refuseMerchantFields(caller, orderId, body);
        const update = toOrderUpdate(body);
        const { order, token } = await useCases.updateOrder(caller, { orderId, update });
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
  'custom_attributes',
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
