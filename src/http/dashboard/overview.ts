/** The figures of a period, and what needs attention. Contract 13.4. */
import type { FastifyInstance } from 'fastify';
import { refuseField } from '../../domain/errors.ts';
import type { CurrencySum, OverviewSums, Share } from '../../domain/reports/overview.ts';
import type { AccountOverview } from '../../use-cases/reports/get-overview.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute } from './dashboard-guard.ts';
import { type Query, readChoice, readText, readTime, refuseUnknown } from './read-query.ts';
import { countView, sumText } from './view-parts.ts';

export function addOverview(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /overview', { bound: 'search' }, async ({ account, query }) =>
    overviewView(await useCases.getOverview(account.accountId, readPeriod(query))),
  );
}

function readPeriod(query: Query) {
  refuseUnknown(query, ['from', 'to', 'bucket', 'offset_minutes']);
  const offset = readText(query, 'offset_minutes') ?? '0';
  return {
    from: readTime(query, 'from') ?? refuseField('from', 'is missing'),
    to: readTime(query, 'to') ?? refuseField('to', 'is missing'),
    bucket: readChoice(query, 'bucket', ['hour', 'day']) ?? 'day',
    offsetMinutes: /^-?\d{1,4}$/.test(offset)
      ? Number(offset)
      : refuseField('offset_minutes', 'must be a whole number'),
  };
}

export function overviewView(overview: AccountOverview) {
  return {
    from: overview.from.toISOString(),
    to: overview.to.toISOString(),
    complete: overview.isComplete,
    totals: sumsView(overview.totals),
    buckets: overview.buckets.map(({ from, to, ...sums }) => ({
      from: from.toISOString(),
      to: to.toISOString(),
      ...sumsView(sums),
    })),
    modes: overview.modes.map(shareView),
    providers: overview.providers.map(shareView),
    failures: overview.failures.map(shareView),
    attention: attentionView(overview.attention),
  };
}

function sumsView({ successPermille, ...sums }: OverviewSums) {
  return {
    created: sums.created.map(sumView),
    completed: sums.completed.map(sumView),
    paid: sums.paid.map(sumView),
    failed: sums.failed.map(sumView),
    refunded: sums.refunded.map(sumView),
    success_permille: successPermille,
  };
}

function sumView({ currency, orders, payments, amount }: CurrencySum) {
  return { currency, orders, payments, amount: sumText(amount, currency) };
}

function shareView({ name, ...sum }: Share) {
  return { name, ...sumView(sum) };
}

function attentionView(attention: AccountOverview['attention']) {
  return {
    review: countView(attention.review),
    parked_deliveries: countView(attention.parkedDeliveries),
    undelivered_events: countView(attention.undeliveredEvents),
    disabled_endpoints: countView(attention.disabledEndpoints),
  };
}
