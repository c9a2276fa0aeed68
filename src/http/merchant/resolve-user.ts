/** `POST /api/v3/resolve-user`: links a consumer to an order. Contract 11.2. */
import type { FastifyInstance } from 'fastify';
import { limits } from '../../domain/limits.ts';
import { microsecondTimestamp } from '../../domain/time.ts';
import type { HttpContext } from '../http-context.ts';
import { field, object, optionalText } from '../open-api/fields.ts';
import { addOperation } from './operation.ts';
import { NextCalls, UserReply } from './order-reply-schemas.ts';
import { readOrderId, toSentUser } from './order-request.ts';
import { mobileNumberDescription, orderIdField, userFields } from './order-schemas.ts';
import { userView } from './order-view.ts';

const Body = object('ResolveUserRequest', 'The consumer to link to the order.', {
  order_id: orderIdField,
  ...userFields,
  mobile_number: field(['string', 'number'], mobileNumberDescription, {
    minLength: 1,
    maxLength: limits.textCharsMax,
  }),
});

const Reply = object('ResolvedUser', 'The consumer that the order is restricted to from now on.', {
  user: UserReply,
  token: optionalText(
    'Only for an order token: it replaces that token, is tied to the consumer and expires at the same time.',
  ),
  token_expiration: optionalText('Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff.'),
  next: NextCalls,
});

export function addResolveUser(app: FastifyInstance, { useCases }: HttpContext): void {
  addOperation(app, 'POST /resolve-user', {
    operationId: 'resolveUser',
    tag: 'Orders',
    access: 'order',
    summary: 'Link a consumer to an order and restrict the order to them',
    description:
      'From then on an order token must name this consumer: one that was issued before is refused. Another consumer is refused with ORDER_CONFLICT.',
    body: Body,
    reply: Reply,
    replyDescription: 'The consumer of the order.',
    errors: ['ORDER_NOT_FOUND', 'ORDER_COMPLETED', 'ORDER_LAPSED', 'ORDER_CONFLICT'],
    handler: async (request) => {
      const { caller } = request;
      const { order, token } = await useCases.resolveUser(caller, {
        orderId: readOrderId(request),
        user: toSentUser(request.body),
      });
      return {
        user: userView(order.details.user, order.userId, caller.type !== 'merchant'),
        ...(token && {
          token: token.token,
          token_expiration: microsecondTimestamp(token.expiresAt),
        }),
        next: [{ action: 'payment_modes', url: '/api/v3/payment-modes' }],
      };
    },
  });
}
