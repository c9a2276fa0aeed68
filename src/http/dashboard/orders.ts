/** Lists of orders: filtered, found by a text, and as a file. Contract 13.4. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { maskUser } from '../../domain/consumers/mask.ts';
import { refuseField } from '../../domain/errors.ts';
import type { User } from '../../domain/orders/order.ts';
import { includesRole, type Role } from '../../domain/users/role.ts';
import type { ListedOrder } from '../../use-cases/orders/list-orders.ts';
import type { HttpContext } from '../http-context.ts';
import { amountText } from './amounts.ts';
import { getAccount, getActor } from './dashboard-guard.ts';
import { readOrderFilter } from './order-filter.ts';
import { providerView } from './provider-view.ts';
import { type Query, readLimit, readText } from './read-query.ts';

const forViewers = {
  config: { dashboard: 'viewer', bound: 'search' },
  schema: { hide: true },
} as const;

export function addOrders(app: FastifyInstance, { useCases }: HttpContext): void {
  app.get<{ Querystring: Query }>('/orders', {
    ...forViewers,
    handler: async (request) => {
      const { accountId, role } = getAccount(request);
      const filter = readOrderFilter(request.query, ['after', 'limit']);
      const page = await useCases.listOrders(accountId, {
        filter,
        after: readText(request.query, 'after'),
        limit: readLimit(request.query),
      });
      return {
        orders: page.orders.map((order) => listedOrderView(order, role)),
        looked_at: page.lookedAt,
        next: page.next ?? null,
      };
    },
  });

  app.get('/filters', {
    ...forViewers,
    handler: async (request) => {
      const choices = await useCases.listFilterChoices(getAccount(request).accountId);
      const { flags, currencies } = choices;
      const providers = choices.providers.map((provider) => ({
        ...{ name: provider.name, display_name: provider.displayName },
      }));
      return { providers, flags, currencies };
    },
  });

  app.get<{ Querystring: Query }>('/search', {
    ...forViewers,
    handler: async (request) => {
      const { accountId, role } = getAccount(request);
      const text = readText(request.query, 'text') ?? refuseField('text', 'is missing');
      const found = await useCases.searchOrders(accountId, {
        ...{ text, limit: readLimit(request.query) },
      });
      const orders = found.orders.map((order) => ({
        ...listedOrderView(order, role),
        reasons: order.reasons,
      }));
      return { orders, more: found.isMore };
    },
  });

  app.get<{ Querystring: Query }>('/orders.csv', {
    ...forViewers,
    config: { dashboard: 'viewer', bound: 'export' },
    handler: async (request, reply) => {
      const { accountId, role } = getAccount(request);
      const filter = readOrderFilter(request.query, []);
      const options = { filter, isMasked: isMaskedFor(role) };
      const texts = await useCases.exportOrders(getActor(request), accountId, options);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="orders.csv"')
        .send(Readable.from(texts));
    },
  });
}

/** A viewer sees consumers as an order token does. */
export function isMaskedFor(role: Role): boolean {
  return !includesRole(role, 'operator');
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
