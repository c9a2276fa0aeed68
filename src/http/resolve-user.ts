/** `POST /api/v3/resolve-user`: links a consumer to an order. Decision 11.2. */
import type { FastifyInstance } from 'fastify';
import { resolveUser } from '../use-cases/resolve-user.ts';
import type { Services } from '../use-cases/services.ts';
import { errorReplies } from './error-reply.ts';
import { getCaller } from './guard.ts';
import { ResolveUserBody, ResolveUserReply } from './order-change-schemas.ts';
import { toConsumer } from './order-request.ts';
import { userView } from './order-view.ts';

export function addResolveUser(app: FastifyInstance, services: Services): void {
  app.post<{ Body: ResolveUserBody; Reply: ResolveUserReply }>('/resolve-user', {
    config: { access: 'order' },
    schema: {
      operationId: 'resolveUser',
      summary: 'Link a consumer to an order and restrict the order to them',
      tags: ['Orders'],
      body: ResolveUserBody,
      response: { 200: ResolveUserReply, ...errorReplies },
    },
    handler: async (request) => {
      const caller = getCaller(request);
      const { userId, details } = await resolveUser(services, caller, {
        orderId: request.body.order_id,
        user: toConsumer(request.body),
      });
      return {
        user: userView(details.user, userId, caller.type !== 'merchant'),
        next: [{ action: 'payment_modes', url: '/api/v3/payment-modes' }],
      };
    },
  });
}
