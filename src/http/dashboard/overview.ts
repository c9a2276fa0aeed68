/** The figures of a period, and what needs attention. Contract 13.4. */
import type { FastifyInstance } from 'fastify';
import { refuseField } from '../../domain/errors.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import type { CurrencySum, OverviewSums, Share } from '../../domain/reports/overview.ts';
import type { AccountOverview } from '../../use-cases/reports/get-overview.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, search } from './dashboard-guard.ts';
import { totalView } from './disputes.ts';
import { choiceOf, type Query, readNeededTime, readQuery, readText } from './read-query.ts';
import { countView, sumText } from './view-parts.ts';

export function addOverview(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /overview', search, async ({ account, query }) =>
    overviewView(await useCases.getOverview(account.accountId, readPeriod(query))),
  );
}

function readPeriod(query: Query) {
  const {
    offset_minutes: offset = '0',
    bucket = 'day',
    ...period
  } = readQuery(query, {
    offset_minutes: readText,
    from: readNeededTime,
    to: readNeededTime,
    bucket: choiceOf(['hour', 'day']),
  });
  if (!/^-?\d{1,4}$/.test(offset)) refuseField('offset_minutes', 'must be a whole number');
  return { ...period, bucket, offsetMinutes: Number(offset) };
}

export function overviewView({ attention, ...overview }: AccountOverview) {
  return {
    ...withSnakeCase({ from: overview.from, to: overview.to }),
    complete: overview.isComplete,
    totals: sumsView(overview.totals),
    buckets: overview.buckets.map(({ from, to, ...sums }) => ({
      ...withSnakeCase({ from, to }),
      ...sumsView(sums),
    })),
    modes: overview.modes.map(shareView),
    providers: overview.providers.map(shareView),
    failures: overview.failures.map(shareView),
    attention: {
      review: countView(attention.review),
      disputes: { ...totalView(attention.disputes), more: attention.disputes.isMore },
      parked_deliveries: countView(attention.parkedDeliveries),
      undelivered_events: countView(attention.undeliveredEvents),
      disabled_endpoints: countView(attention.disabledEndpoints),
    },
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
