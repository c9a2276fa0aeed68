/** The pages by path. Each is loaded when it is opened first. */

/**
 * @typedef {object} PageModule
 * @property {(props: { params: Record<string, string> }) => any} Page
 */

/**
 * @typedef {object} Route
 * @property {string} path `:name` stands for one part.
 * @property {string} title
 * @property {() => Promise<PageModule>} load
 */

/** @type {Route[]} */
export const routes = [
  { path: '/', title: 'Overview', load: () => import('./pages/overview.js') },
  { path: '/orders', title: 'Orders', load: () => import('./pages/orders.js') },
  { path: '/orders/:order_id', title: 'Order', load: () => import('./pages/order.js') },
  { path: '/orders/:order_id/why', title: 'Why', load: () => import('./pages/why.js') },
  { path: '/disputes', title: 'Disputes', load: () => import('./pages/disputes.js') },
  { path: '/disputes/:dispute_id', title: 'Evidence', load: () => import('./pages/evidence.js') },
  { path: '/review', title: 'Review', load: () => import('./pages/review.js') },
  { path: '/inbox', title: 'Inbox', load: () => import('./pages/inbox.js') },
  {
    path: '/payment-links/new',
    title: 'New payment link',
    load: () => import('./pages/new-link.js'),
  },
  { path: '/webhooks', title: 'Webhooks', load: () => import('./pages/webhooks.js') },
  { path: '/webhooks/:event_id', title: 'Event', load: () => import('./pages/event.js') },
  { path: '/settings', title: 'Settings', load: () => import('./pages/settings.js') },
  { path: '/team', title: 'Team', load: () => import('./pages/team.js') },
  { path: '/audit-log', title: 'Audit log', load: () => import('./pages/audit-log.js') },
  { path: '/account', title: 'Your account', load: () => import('./pages/account.js') },
  { path: '/sessions', title: 'Your sessions', load: () => import('./pages/sessions.js') },
];

/** The entries of the menu; other pages are reached from these. */
export const menu = [
  '/',
  '/orders',
  '/disputes',
  '/review',
  '/inbox',
  '/webhooks',
  '/settings',
  '/team',
  '/audit-log',
];

/**
 * The page without what belongs to one account: of the page of an object, its list.
 * @param {string} path
 */
export function anyAccountPath(path) {
  return menu.find((entry) => path.startsWith(`${entry}/`)) ?? path;
}

/**
 * @param {string} path
 * @returns {{ route: Route, params: Record<string, string> } | undefined}
 */
export function findRoute(path) {
  for (const route of routes) {
    const params = match(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
}

/**
 * @param {string} pattern
 * @param {string} path
 * @returns {Record<string, string> | undefined}
 */
function match(pattern, path) {
  const wanted = pattern.split('/');
  const parts = path.split('/');
  if (wanted.length !== parts.length) return undefined;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [index, name] of wanted.entries()) {
    const part = parts[index] ?? '';
    const value = name.startsWith(':') ? decode(part) : undefined;
    if (value !== undefined) params[name.slice(1)] = value;
    else if (name !== part) return undefined;
  }
  return params;
}

/**
 * Nothing if an address was cut or typed wrong.
 * @param {string} part
 */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
