/** `order list`: prints the newest orders, page by page, with personal data masked. */
import { isOrderId } from '../../domain/ids.ts';
import { orderStatuses } from '../../domain/orders/order.ts';
import { type ListedOrder, listOrders } from '../../use-cases/orders/list-orders.ts';
import { consumerText, maskedUser } from '../consumers/consumer-view.ts';
import { UsageError } from '../framework/command.ts';
import { choiceOption } from '../framework/common-options.ts';
import { defineList, listScope } from '../framework/list.ts';
import { ageOf, amountNumber, amountText, type Column, styleOfStatus } from '../framework/table.ts';

function orderView(order: ListedOrder) {
  return {
    orderId: order.orderId,
    accountId: order.accountId,
    invoiceId: order.invoiceId,
    status: order.status,
    totalAmount: amountNumber(order.total, order.currency),
    currency: order.currency,
    attempts: order.attempts,
    flags: order.ownFlags,
    user: maskedUser(order.user),
    createdAt: order.createdAt,
    lapsesAt: order.lapsesAt,
  };
}

const columns: ReadonlyArray<Column<ReturnType<typeof orderView>>> = [
  { title: 'ORDER', text: (order) => order.orderId },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => styleOfStatus(status) },
  {
    title: 'AMOUNT',
    text: (order) => amountText(order.totalAmount, order.currency),
    isRight: true,
  },
  { title: 'AGE', text: (order, screen) => ageOf(order.createdAt, screen), isRight: true },
  { title: 'INVOICE', text: (order) => order.invoiceId, widthMax: 24 },
  { title: 'TRIES', text: (order) => String(order.attempts), isRight: true },
  { title: 'FLAGS', text: ({ flags }) => flags.join(','), widthMax: 24, style: () => 'yellow' },
  { title: 'CONSUMER', text: ({ user }) => consumerText(user), widthMax: 40 },
  { title: 'ACCOUNT', text: (order) => order.accountId },
];

export const orderList = defineList({
  name: ['order', 'list'],
  summary: 'List the newest orders.',
  description:
    'Lists orders, newest first, one line each. E-mail addresses and phone numbers are masked. A page looks at 20,000 orders at most, so with --status it may have few rows and a next page.',
  options: { status: choiceOption('STATUS', 'Only orders of this status', orderStatuses) },
  since: 'Only orders created since then.',
  examples: ['order list --since 24h', 'order list --account acc_… --status pending --limit 20'],
  rows: 'orders',
  columns,
  prepare: ({ status, after: afterText }) => {
    if (afterText !== undefined && !isOrderId(afterText)) {
      throw new UsageError('--after must be the order id where the last page ended.');
    }
    return async (services, page) => {
      const { since: from } = page;
      const query = { ...page, filter: { ...(status && { status }), ...(from && { from }) } };
      const { orders, next } = await listOrders(services, await listScope(services, page), query);
      return { rows: orders.map(orderView), next };
    };
  },
});
