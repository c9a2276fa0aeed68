/** What needs a person in the current account. Everybody sees it, operators resolve it. Contract 13.6. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { reviewReasons } from '../../domain/review-flag.ts';
import type { ReviewEntry } from '../../use-cases/review/list-review.ts';
import type { RefusedReview } from '../../use-cases/review/resolve-review.ts';
import type { HttpContext } from '../http-context.ts';
import { countView } from './count-view.ts';
import { getAccount, getActor } from './dashboard-guard.ts';
import { type Query, readLimit, readText, refuseUnknown } from './read-query.ts';

const ResolveBody = Type.Object({
  id: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  note: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
});

export function addReview(app: FastifyInstance, { useCases }: HttpContext): void {
  app.get<{ Querystring: Query }>('/review', {
    config: { dashboard: 'viewer', bound: 'search' },
    schema: { hide: true },
    handler: async (request) => {
      refuseUnknown(request.query, ['after', 'limit']);
      const { accountId } = getAccount(request);
      const { entries, next } = await useCases.listOpenReview(accountId, {
        ...{ after: readText(request.query, 'after'), limit: readLimit(request.query) },
      });
      const open = countView(await useCases.countReview(accountId));
      return { items: entries.map(itemView), open, next: next ?? null };
    },
  });

  app.post<{ Body: Static<typeof ResolveBody> }>('/review/resolve', {
    config: { dashboard: 'operator' },
    bodyLimit: limits.publicBodyBytesMax,
    schema: { hide: true, body: ResolveBody },
    handler: async (request) => {
      const { id, note } = request.body;
      const { accountId } = getAccount(request);
      const actor = getActor(request);
      const outcome = await useCases.resolveReview({ id, note, actor, accountId });
      if ('refusal' in outcome) return refuse(id, outcome);
      return {
        ...{ id, outcome: 'resolved', resolved_at: outcome.at.toISOString() },
        ...{ note: outcome.note, resolved_deliveries: outcome.deliveryIds },
      };
    },
  });
}

export function itemView({ id, kind, ...entry }: ReviewEntry) {
  return {
    ...{ id, kind, since: entry.since.toISOString() },
    order_id: entry.orderId,
    transaction_id: entry.transactionId,
    delivery_id: kind === 'delivery' ? id : null,
    reasons: entry.reasons.map((reason) => ({ reason, ...reviewReasons[reason] })),
    why: entry.why,
  };
}

/** Somebody may have resolved it a moment ago: that is what the caller wants, so it is no error. */
function refuse(id: string, { kind, refusal }: RefusedReview) {
  switch (kind) {
    case 'resolved_before':
      return { id, outcome: 'resolved_before', message: refusal };
    case 'wrong_note':
      return refuseField('note', 'must have 1 to 1,024 characters that are not all spaces');
    case 'not_open':
      throw new ServiceError('ORDER_CONFLICT', refusal);
    case 'unknown':
      throw new ServiceError('NOT_FOUND', 'The account has nothing to resolve with this id.');
    default:
      return kind satisfies never;
  }
}
