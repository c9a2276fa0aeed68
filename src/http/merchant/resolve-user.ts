/** `POST /api/v3/resolve-user`: links a consumer to an order. Contract 11.2. */
import type { FastifyInstance } from 'fastify';
import { microsecondTimestamp } from '../../domain/time.ts';
import { errorReplies } from '../error-reply.ts';
import { getCaller } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';
import { ResolveUserBody, ResolveUserReply } from './order-change-schemas.ts';
import { readOrderId } from './order-id.ts';
import { toSentUser } from './order-request.ts';
import { userView } from './order-view.ts';

export function addResolveUser(app: FastifyInstance, { useCases }: HttpContext): void {
  app.post<{ Body: ResolveUserBody; Reply: ResolveUserReply }>('/resolve-user', {
    config: {
      access: 'order',
      documentation: {
        replyDescription: 'The consumer of the order.',
        errors: ['ORDER_NOT_FOUND', 'ORDER_COMPLETED', 'ORDER_LAPSED', 'ORDER_CONFLICT'],
        examples: new URL('./examples/resolve-user.json', import.meta.url),
      },
    },
    schema: {
      operationId: 'resolveUser',
      summary: 'Link a consumer to an order and restrict the order to them',
      description:
        'From then on an order token must name this consumer: one that was issued before is refused. Another consumer is refused with ORDER_CONFLICT.',
      tags: ['Orders'],
      body: ResolveUserBody,
      response: { 200: ResolveUserReply, ...errorReplies },
    },
    handler: async (request) => {
      const caller = getCaller(request);
      const { order, token } = await useCases.resolveUser(caller, {
        orderId: readOrderId(caller, request.body),
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
