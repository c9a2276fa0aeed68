/** Captures and voids of authorised payments, for operators and owners. Contract 16.8. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { refuseField } from '../../domain/errors.ts';
import { findNote } from '../../domain/inbox/review.ts';
import { limits } from '../../domain/limits.ts';
import type { HttpContext } from '../http-context.ts';
import { markReplay, readIdempotencyKey } from '../merchant/idempotency-key.ts';
import { addRoute } from './dashboard-guard.ts';

const wanted = {
  body: Type.Object({
    transaction_id: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
    /** Of a capture. */
    amount: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    note: Type.Optional(Type.String({ maxLength: limits.textCharsMax })),
  }),
};

export function addOperations(app: FastifyInstance, { useCases }: HttpContext): void {
  for (const kind of ['capture', 'void'] as const) {
    const route = `POST /orders/:order_id/${kind}s` as const;
    addRoute(app, 'operator', route, wanted, async (request, reply) => {
      const { account, actor, params, body } = request;
      const order = { accountId: account.accountId, orderId: params.order_id };
      const made = await useCases.operateAs(actor, order, {
        kind,
        transactionId: body.transaction_id,
        amount: kind === 'capture' ? body.amount : undefined,
        comment: findNote(body.note ?? ''),
        // Without a key, a second click or tab would make a second one.
        key: readIdempotencyKey(request) ?? refuseField('Idempotency-Key', 'is missing'),
      });
      markReplay(reply, made.replayed);
      const { transactionId, status, message } = made.reply;
      return { transaction_id: transactionId, status, message };
    });
  }
}
