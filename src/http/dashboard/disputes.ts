/** The disputes of an account, and the evidence about one of them, as a page and as text. Contract 17.6. */
import type { FastifyInstance } from 'fastify';
import { disputeStatuses } from '../../domain/disputes/dispute.ts';
import { refuseField } from '../../domain/errors.ts';
import {
  type DisputeTotals,
  isDisputeCursor,
  type ListedDispute,
} from '../../use-cases/disputes/list-disputes.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, search } from './dashboard-guard.ts';
import { evidenceText } from './evidence-text.ts';
import { evidenceView } from './evidence-view.ts';
import { readCurrency } from './orders.ts';
import { choiceOf, type Query, readLimit, readQuery, readText } from './read-query.ts';
import { amountText, disputeView, isMaskedFor, providerView } from './view-parts.ts';
import { explaining } from './why.ts';

export function addDisputes(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /disputes', search, async ({ account: { accountId }, query }) => {
    const { after, limit, ...filter } = readQuery(query, {
      status: choiceOf(disputeStatuses),
      phase: readText,
      provider: readText,
      currency: (given: Query) => readCurrency(given),
      after: readCursor,
      limit: readLimit,
    });
    const { disputes, lookedAt, next } = await useCases.listDisputes(accountId, {
      filter,
      after,
      limit,
    });
    return {
      disputes: disputes.map(listedDisputeView),
      totals: totalsView(await useCases.sumAccountDisputes(accountId)),
      looked_at: lookedAt,
      next: next ?? null,
    };
  });

  addRoute(app, 'viewer', 'GET /disputes/:dispute_id', explaining, async ({ account, params }) => {
    const masked = isMaskedFor(account.role);
    const evidence = await useCases.getEvidence(account.accountId, params.dispute_id, masked);
    return evidenceView(evidence, masked);
  });

  const text = 'GET /disputes/:dispute_id/evidence.txt';
  addRoute(app, 'viewer', text, explaining, async ({ account, params }, reply) => {
    const masked = isMaskedFor(account.role);
    const evidence = await useCases.getEvidence(account.accountId, params.dispute_id, masked);
    return reply
      .type('text/plain; charset=utf-8')
      .header('content-disposition', 'attachment; filename="evidence.txt"')
      .send(evidenceText(evidenceView(evidence, masked)));
  });
}

function readCursor(query: Query, name: string): string | undefined {
  const text = readText(query, name);
  if (text !== undefined && !isDisputeCursor(text)) refuseField(name, 'must be the next of a page');
  return text;
}

export function listedDisputeView({ dispute, orderId, invoiceId, ...listed }: ListedDispute) {
  return {
    ...disputeView(dispute),
    order_id: orderId,
    invoice_id: invoiceId,
    transaction_id: listed.transactionId,
    ...providerView(listed.provider),
    changed_at: listed.changedAt.toISOString(),
  };
}

export function totalsView({ isMore, ...totals }: DisputeTotals) {
  return {
    waiting: totalView(totals.waiting),
    under_review: totalView(totals.underReview),
    won: totalView(totals.won),
    lost: totalView(totals.lost),
    more_unfinished: isMore.unfinished,
    more_ended: isMore.ended,
  };
}

export function totalView({ count, claims, respondBy }: DisputeTotals['waiting']) {
  return {
    count,
    claims: claims.map(({ currency, amount }) => ({
      currency,
      amount: amountText(amount, currency),
    })),
    respond_by: respondBy?.toISOString() ?? null,
  };
}
