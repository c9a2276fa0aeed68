/** What needs a person in the current account. Everybody sees it, operators resolve it. Contract 13.6. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { limits } from '../../domain/limits.ts';
import { reviewReasons } from '../../domain/review-flag.ts';
import type { ReviewEntry } from '../../use-cases/review/list-review.ts';
import type { RefusedReview } from '../../use-cases/review/resolve-review.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, search } from './dashboard-guard.ts';
import { readLimit, readQuery, readText } from './read-query.ts';
import { amountsIn, countView } from './view-parts.ts';

const ResolveBody = Type.Object({
  id: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  note: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
});

export function addReview(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /review', search, async ({ account: { accountId }, query }) => {
    const wanted = readQuery(query, { after: readText, limit: readLimit });
    const page = await useCases.listReview({ accountId, ...wanted });
    if (!page) refuseField('after', 'must be the next of a page');
    const open = countView(await useCases.countReview(accountId));
    return { items: page.entries.map(itemView), open, next: page.next ?? null };
  });

  addRoute(app, 'operator', 'POST /review/resolve', { body: ResolveBody }, async (request) => {
    const { account, actor, body } = request;
    const { id, note } = body;
    const { accountId } = account;
    const outcome = await useCases.resolveReview({ id, note, actor, accountId });
    if ('refusal' in outcome) return refuse(id, outcome);
    const { at: resolvedAt, note: kept, deliveryIds: resolvedDeliveries } = outcome;
    return withSnakeCase({ id, outcome: 'resolved', resolvedAt, note: kept, resolvedDeliveries });
  });
}

export function itemView(entry: ReviewEntry) {
  const { id, kind, since, orderId, transactionId, reasons, why, dispute } = entry;
  return {
    ...withSnakeCase({ id, kind, since, orderId, transactionId }),
    delivery_id: kind === 'delivery' ? id : null,
    reasons: reasons.map((reason) => ({ reason, ...reviewReasons[reason] })),
    why,
    dispute: dispute ? claimView(dispute) : null,
  };
}

function claimView({
  disputeId,
  amount,
  currency,
  respondBy,
}: NonNullable<ReviewEntry['dispute']>) {
  const claimed = amountsIn(currency)(amount);
  return { dispute_id: disputeId, amount: claimed, currency, respond_by: respondBy };
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
