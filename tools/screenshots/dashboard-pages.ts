/** Every page of the dashboard, and where it is: a path, or how the data of the shop leads to one. */

type Answer = Promise<Record<string, unknown>>;

/** How to find out what the shop has. */
export type Finder = {
  /** Reads from the API of the dashboard, as its owner does. */
  readonly read: (path: string) => Answer;
  /** Runs a command of the command line. */
  readonly cli: (...words: string[]) => Answer;
};

export type DashboardPage = {
  readonly name: string;
  /** Undefined if the shop has nothing to show there. */
  readonly path: string | ((finder: Finder) => Promise<string | undefined>);
  readonly isSignedOut?: true;
};

/** An order that failed first, was paid then and refunded later has the longest story. */
const refunded = (end = '') =>
  findOrder(['payment_status=failed&refunded=yes', 'refunded=yes', 'status=completed'], end);

export const dashboardPages: readonly DashboardPage[] = [
  { name: 'sign-in', path: '/', isSignedOut: true },
  { name: 'overview', path: '/?days=30' },
  { name: 'orders', path: '/orders' },
  { name: 'order', path: refunded() },
  { name: 'order-flagged', path: findOrder(['flag=duplicate_capture', 'flag=payment_reversed']) },
  { name: 'why', path: refunded('/why') },
  { name: 'disputes', path: '/disputes' },
  { name: 'evidence', path: findDisputed('disputes', 'dispute_id') },
  { name: 'order-disputed', path: findDisputed('orders', 'order_id') },
  { name: 'review', path: '/review' },
  { name: 'inbox', path: '/inbox' },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'event', path: findEvent },
  { name: 'new-payment-link', path: '/payment-links/new' },
  { name: 'settings', path: '/settings' },
  { name: 'team', path: '/team' },
  { name: 'audit-log', path: '/audit-log' },
  { name: 'sessions', path: '/sessions' },
  { name: 'account', path: '/account' },
];

/** The newest order that the first of these filters finds. */
function findOrder(filters: readonly string[], end = ''): DashboardPage['path'] {
  return async ({ read }) => {
    for (const filter of filters) {
      const { orders } = await read(`/orders?limit=1&${filter}`);
      const [order] = (orders ?? []) as { order_id: string }[];
      if (order) return `/orders/${order.order_id}${end}`;
    }
    return undefined;
  };
}

/** The dispute with the nearest deadline, or its order. */
function findDisputed(page: string, name: 'dispute_id' | 'order_id'): DashboardPage['path'] {
  return async ({ read }) => {
    const { disputes } = await read('/disputes?limit=1');
    const [dispute] = (disputes ?? []) as Record<typeof name, string>[];
    return dispute && `/${page}/${encodeURIComponent(dispute[name])}`;
  };
}

/** One that could not be delivered yet has attempts to show. */
async function findEvent({ cli }: Finder): Promise<string | undefined> {
  const { events } = await cli('event', 'list', '--state', 'pending', '--limit', '1');
  const [event] = (events ?? []) as { event_id: string }[];
  return event && `/webhooks/${encodeURIComponent(event.event_id)}`;
}
