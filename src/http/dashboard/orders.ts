/** Lists of orders: filtered, found by a text, and as a file. Contract 13.4. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { maskUser } from '../../domain/consumers/mask.ts';
import { refuseField } from '../../domain/errors.ts';
import { findExponent } from '../../domain/money/currency.ts';
import { parseAmount } from '../../domain/money/money.ts';
import { orderStatuses, type User } from '../../domain/orders/order.ts';
import type { OrderFilter } from '../../domain/orders/order-filter.ts';
import { reviewFlags } from '../../domain/review-flag.ts';
import type { Role } from '../../domain/users/role.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import type { ListedOrder } from '../../use-cases/orders/list-orders.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, search } from './dashboard-guard.ts';
import { choiceOf, type Query, readLimit, readQuery, readText, readTime } from './read-query.ts';
import { amountText, isMaskedFor, providerView } from './view-parts.ts';

export function addOrders(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /orders', search, async ({ account, query }) => {
    const { after, limit, ...given } = readQuery(query, {
      ...filterReaders,
      after: readText,
      limit: readLimit,
    });
    const filter = orderFilterOf(given);
    const page = await useCases.listOrders(account.accountId, { filter, after, limit });
    return {
      orders: page.orders.map((order) => listedOrderView(order, account.role)),
      looked_at: page.lookedAt,
      next: page.next ?? null,
    };
  });

  addRoute(app, 'viewer', 'GET /filters', search, async ({ account }) => {
    const { providers, flags, currencies } = await useCases.listFilterChoices(account.accountId);
    const named = providers.map(({ name, displayName }) => ({ name, display_name: displayName }));
    return { providers: named, flags, currencies };
  });

  addRoute(app, 'viewer', 'GET /search', search, async ({ account, query }) => {
    const text = readText(query, 'text') ?? refuseField('text', 'is missing');
    const limit = readLimit(query);
    const found = await useCases.searchOrders(account.accountId, { text, limit });
    const orders = found.orders.map((order) => ({
      ...listedOrderView(order, account.role),
      reasons: order.reasons,
    }));
    return { orders, more: found.isMore };
  });

  addRoute(app, 'viewer', 'GET /orders.csv', { bound: 'export' }, async (request, reply) => {
    const { account, actor, query } = request;
    const filter = orderFilterOf(readQuery(query, filterReaders));
    const options = { filter, isMasked: isMaskedFor(account.role) };
    const texts = await useCases.exportOrders(actor, account.accountId, options);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="orders.csv"')
      .send(Readable.from(texts));
  });
}

export function listedOrderView(order: ListedOrder, role: Role) {
  const { currency, payment } = order;
  const user = order.user && isMaskedFor(role) ? maskUser(order.user) : order.user;
  return {
    order_id: order.orderId,
    invoice_id: order.invoiceId,
    status: order.status,
    created_at: order.createdAt.toISOString(),
    currency,
    total_amount: amountText(order.total, currency),
    paid_amount: amountText(order.paid, currency),
    refunded_amount: amountText(order.refunded, currency),
    attempts: order.attempts,
    flags: order.flags,
    disputed: order.isDisputed,
    user: user && userView(user),
    payment: payment && {
      transaction_id: payment.transactionId,
      payment_status: payment.status,
      ...providerView(payment.provider),
      payment_mode: payment.mode,
      failure: payment.failure,
    },
  };
}

export function userView(user: User) {
  const name = [user.firstName, user.lastName].filter((part) => part !== undefined).join(' ');
  const { email = null, mobileNumber } = user;
  const phone = mobileNumber === undefined ? null : `${user.countryCode} ${mobileNumber}`;
  return { name: name === '' ? null : name, email, phone };
}

const filterReaders = {
  payment_status: choiceOf(['succeeded', 'failed']),
  mode: readText,
  provider: readText,
  failure: readText,
  status: choiceOf(orderStatuses),
  flag: choiceOf(reviewFlags),
  from: readTime,
  to: readTime,
  currency: (query: Query) => readCurrency(query),
  amount_min: readAmount,
  amount_max: readAmount,
  refunded: choiceOf(['yes']),
  disputed: choiceOf(['yes']),
};

function orderFilterOf(given: ReturnType<typeof readQuery<typeof filterReaders>>): OrderFilter {
  const { payment_status, mode, provider, failure, ...ofOrder } = given;
  const { amount_min, amount_max, refunded, disputed, ...others } = ofOrder;
  const payment = withoutAbsent({ status: payment_status, mode, provider, failure });
  return withoutAbsent({
    ...others,
    amountMin: amount_min,
    amountMax: amount_max,
    payment: Object.keys(payment).length > 0 ? payment : undefined,
    isRefunded: refunded && true,
    isDisputed: disputed && true,
  });
}

export function readCurrency(query: Query): string | undefined {
  const currency = readText(query, 'currency');
  if (currency !== undefined && findExponent(currency) === undefined) {
    refuseField('currency', 'must be a code of ISO 4217');
  }
  return currency;
}

function readAmount(query: Query, name: string): number | undefined {
  const text = readText(query, name);
  if (text === undefined) return undefined;
  const currency = readCurrency(query) ?? refuseField('currency', 'is needed for an amount');
  const amount = parseAmount(text, findExponent(currency) ?? 2);
  return amount.kind === 'amount'
    ? amount.minor
    : refuseField(name, `must be an amount of ${currency}`);
}
