/** `order list`: prints the newest orders, page by page, with personal data masked. */
import { isOrderId } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/orders/order.ts';
import { type ListedOrder, listOrders } from '../../use-cases/orders/list-orders.ts';
import { consumerText, maskedUser } from '../consumers/consumer-view.ts';
import { UsageError } from '../framework/command.ts';
import { readOneOf } from '../framework/common-options.ts';
import { defineList, effort, listScope } from '../framework/list.ts';
import { amountNumber, amountText } from '../framework/money-text.ts';
import { styleOfStatus } from '../framework/status-style.ts';
import { ageOf, type Column } from '../framework/table.ts';

const statuses = ['new', 'pending', 'completed', 'lapsed'] as const satisfies OrderStatus[];

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

export const orderList = defineList({
  name: ['order', 'list'],
  summary: 'List the newest orders.',
  description:
    'Lists orders, newest first, one line each. E-mail addresses and phone numbers are masked. A page looks at 20,000 orders at most, so with --status it may have few rows and a next page.',
  options: {
    status: {
      type: 'string',
      value: 'STATUS',
      text: `Only orders of this status: ${statuses.join(', ')}.`,
    },
  },
  since: 'Only orders created since then.',
  examples: ['order list --since 24h', 'order list --account acc_… --status pending --limit 20'],
  rows: 'orders',
  columns,
  prepare: (values) => {
    const status = readOneOf('--status', values.status, statuses);
    if (values.after !== undefined && !isOrderId(values.after)) {
      throw new UsageError('--after must be the order id where the last page ended.');
    }
    return async (services, page) => {
      const { since: from, after, limit } = page;
      const filter = { ...(status && { status }), ...(from && { from }) };
      const query = { filter, after, limit, effort };
      const { orders, next } = await listOrders(services, await listScope(services, page), query);
      return { rows: orders.map(orderView), next };
    };
  },
});
