/** `order list`: prints the newest orders, page by page, with personal data masked. */
import { isOrderId } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/orders/order.ts';
import { type ListedOrder, listOrders } from '../../use-cases/orders/list-orders.ts';
import { consumerText, maskedUser } from '../consumers/consumer-view.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { amountNumber, amountText } from '../framework/money-text.ts';
import { readOneOf } from '../framework/one-of.ts';
import {
  accountOption,
  afterOption,
  effort,
  limitOption,
  openScope,
  readLimit,
  readSince,
  sinceOption,
} from '../framework/page-options.ts';
import { renderList } from '../framework/render-list.ts';
import { styleOfStatus } from '../framework/status-style.ts';
import { ageOf, type Column } from '../framework/table.ts';

const statuses = ['new', 'pending', 'completed', 'lapsed'] as const satisfies OrderStatus[];

export const orderList = defineCommand({
  name: ['order', 'list'],
  summary: 'List the newest orders.',
  description:
    'Lists orders, newest first, one line each. E-mail addresses and phone numbers are masked. A page looks at 20,000 orders at most, so with --status it may have few rows and a next page.',
  options: {
    ...accountOption,
    status: {
      type: 'string',
      value: 'STATUS',
      text: `Only orders of this status: ${statuses.join(', ')}.`,
    },
    ...sinceOption('Only orders created since then.'),
    ...limitOption,
    ...afterOption,
  },
  examples: ['order list --since 24h', 'order list --account acc_… --status pending --limit 20'],
  prepare: ({ values }) => {
    const { account, after } = values;
    const status = readOneOf('--status', values.status, statuses);
    const sinceAt = readSince(values.since);
    const limit = readLimit(values.limit);
    if (after !== undefined && !isOrderId(after)) {
      throw new UsageError('--after must be the order id where the last page ended.');
    }
    return {
      run: async (services, _config, warn) => {
        const scope = await openScope(services, account, warn);
        const from = sinceAt(services.clock());
        const filter = { ...(status && { status }), ...(from && { from }) };
        const { orders, next } = await listOrders(services, scope, {
          filter,
          after,
          limit,
          effort,
        });
        return { orders: orders.map(orderView), ...(next !== undefined && { next }) };
      },
      render: (outcome, screen) => {
        const { orders, next } = outcome as { orders: OrderView[]; next?: string };
        return renderList(orders, columns, next, screen);
      },
    };
  },
});

type OrderView = ReturnType<typeof orderView>;

function orderView(order: ListedOrder) {
  return {
    order_id: order.orderId,
    account_id: order.accountId,
    invoice_id: order.invoiceId,
    status: order.status,
    total_amount: amountNumber(order.total, order.currency),
    currency: order.currency,
    attempts: order.attempts,
    flags: order.ownFlags,
    user: maskedUser(order.user),
    created_at: order.createdAt.toISOString(),
    lapses_at: order.lapsesAt.toISOString(),
  };
}

const columns: ReadonlyArray<Column<OrderView>> = [
  { title: 'ORDER', text: (order) => order.order_id },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => styleOfStatus(status) },
  {
    title: 'AMOUNT',
    text: (order) => amountText(order.total_amount, order.currency),
    isRight: true,
  },
  { title: 'AGE', text: (order, screen) => ageOf(order.created_at, screen), isRight: true },
  { title: 'INVOICE', text: (order) => order.invoice_id, widthMax: 24 },
  { title: 'TRIES', text: (order) => String(order.attempts), isRight: true },
  { title: 'FLAGS', text: ({ flags }) => flags.join(','), widthMax: 24, style: () => 'yellow' },
  { title: 'CONSUMER', text: ({ user }) => consumerText(user), widthMax: 40 },
  { title: 'ACCOUNT', text: (order) => order.account_id },
];
