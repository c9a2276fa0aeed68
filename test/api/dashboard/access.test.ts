/**
 * Every route of the dashboard against every role, against users of another account and against other sites, in one table.
 * A route without a line fails the test. Contract 13.1 and 13.2.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { type Role, roles } from '../../../src/domain/users/role.ts';
import { resumeAccount, suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import {
  codeOf,
  invite,
  join,
  newEmail,
  openBrowser,
  type Person,
  password,
} from '../../support/dashboard.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { startJourney } from '../../support/journey.ts';
import { listServedPaths } from '../../support/served-paths.ts';
import { addEndpoint, startShopEndpoint } from '../../support/shop-endpoint.ts';
import { dumpTables } from '../../support/test-database.ts';
import { disputeEvent, disputeRecord } from '../disputes/dispute-shop.ts';

const { service, shop, openShop, createPaid } = await startJourney();
const receiver = await startShopEndpoint();
const stranger = await openShop();

type Line = {
  readonly method: string;
  /** `{name}` stands for an id of the account. */
  readonly path: string;
  readonly role: Role;
  /** Its texts may have names in braces too. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Record<string, string>;
  /** To whoever may call it, if nothing is in the state that it needs. */
  readonly answer?: number;
};

/** Those that delete come last. */
const table: readonly Line[] = [
  ...viewer('/overview?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'),
  ...viewer('/filters', '/orders', '/orders.csv', '/search?text={order_id}'),
  ...viewer('/orders/{order_id}', '/orders/{order_id}/why', '/orders/{order_id}/why.txt'),
  ...viewer('/orders/{order_id}/deliveries/{delivery_id}'),
  ...viewer('/disputes', '/disputes/{dispute_id}', '/disputes/{dispute_id}/evidence.txt'),
  ...viewer('/review', '/inbox', '/inbox/{delivery_id}'),
  ...viewer('/endpoints', '/events', '/events/{event_id}'),
  ...viewer('/settings', '/team', '/audit'),
  {
    ...line('POST', '/orders/{order_id}/refunds', 'operator'),
    body: { transaction_id: '{transaction_id}', refund_amount: '1.00', refunded_so_far: '0' },
    headers: { 'idempotency-key': 'access-1' },
  },
  ...['captures', 'voids'].map((name) => ({
    ...line('POST', `/orders/{order_id}/${name}`, 'operator'),
    body: { transaction_id: '{transaction_id}' },
    headers: { 'idempotency-key': 'access-2' },
    answer: 422,
  })),
  {
    ...line('POST', '/review/resolve', 'operator'),
    body: { id: '{review_id}', note: 'settled with the shop' },
  },
  line('POST', '/inbox/{delivery_id}/replay', 'operator'),
  line('POST', '/endpoints/{endpoint_id}/test', 'operator'),
  { ...line('POST', '/events/{event_id}/resend', 'operator'), body: {} },
  {
    ...line('POST', '/events/resend', 'operator'),
    body: { since: '2026-01-01T00:00:00Z', endpoint_id: '{endpoint_id}' },
  },
  {
    ...line('POST', '/payment-links', 'operator'),
    body: { total_amount: '5.00', currency: 'INR', invoice_id: 'ACCESS-LINK' },
  },
  line('POST', '/orders/{linked_order_id}/payment-link/cancel', 'operator'),
  {
    ...line('POST', '/endpoints', 'owner'),
    body: { url: 'https://shop.example/events', events: [] },
  },
  { ...line('PATCH', '/endpoints/{endpoint_id}', 'owner'), body: { enabled: true } },
  { ...line('POST', '/endpoints/{endpoint_id}/rotate', 'owner'), body: { overlap_hours: 1 } },
  { ...line('PATCH', '/settings', 'owner'), body: { name: 'Another name' } },
  line('POST', '/settings/secrets/access-secret/show', 'owner'),
  {
    ...line('POST', '/settings/secrets/access-secret/rotate', 'owner'),
    body: { overlap_seconds: 60 },
  },
  {
    ...line('POST', '/team/invitations', 'owner'),
    body: { email: 'late@team.example', role: 'viewer' },
  },
  { ...line('PATCH', '/team/{user_id}', 'owner'), body: { role: 'operator' } },
  line('DELETE', '/team/invitations/{invitation_id}', 'owner'),
  line('DELETE', '/team/{user_id}', 'owner'),
  line('DELETE', '/endpoints/{endpoint_id}', 'owner'),
];

/** Routes that need no role, because they are about the caller alone. Their own tests say who may call them. */
const ofCaller = [
  'POST /sign-in',
  'POST /sign-in/passkey/options',
  'POST /sign-in/passkey/verify',
  ...['', '/password', '/passkey/options', '/passkey/verify', '/join'].map(
    (path) => `POST /invitation/{token}${path}`,
  ),
  'GET /visit',
  'GET /session',
  'POST /account',
  'POST /sign-out',
  'GET /sessions',
  'DELETE /sessions',
  'DELETE /sessions/{session_id}',
  'POST /confirm',
  'POST /confirm/passkey/options',
  'POST /confirm/passkey/verify',
  ...[
    'GET /credentials',
    'POST /credentials/password',
    'DELETE /credentials/passkeys/{passkey_id}',
  ],
  'POST /credentials/passkey/options',
  'POST /credentials/passkey/verify',
];

const owner = await join(service, shop.accountId, 'owner');
const people: Readonly<Record<Role, Person>> = {
  viewer: await join(service, shop.accountId, 'viewer'),
  operator: await join(service, shop.accountId, 'operator'),
  owner,
};
const foreigner = await join(service, stranger.accountId, 'owner');
const ids = await makeOneOfEach();
const noOrder = ids.order_id.replace(/.{4}$/, 'none');
/** Of the same shape: the id of a transaction begins with that of its order. */
const unknown = Object.fromEntries(
  Object.entries(ids).map(([name, id]) => [
    name,
    id.startsWith(ids.order_id) ? id.replace(ids.order_id, noOrder) : id.replace(/.{4}$/, 'none'),
  ]),
);

test('every route has a line', async () => {
  const served = (await listServedPaths(service)).filter((path) =>
    path.startsWith('/dashboard/api/'),
  );
  const found: string[] = [];
  for (const path of served) {
    const { headers } = await service.call(path.replace(/[{}]/g, ''), { method: 'OPTIONS' });
    const methods = (headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD');
    found.push(...methods.map((method) => `${method} ${path.replace('/dashboard/api', '')}`));
  }
  const lines = table.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  const listed = [...lines, ...ofCaller].map((text) =>
    text.replace('access-secret', '{name}').replace('linked_order_id', 'order_id'),
  );
  assert.deepEqual(found.sort(), listed.sort());
});

test('whoever may not call a route changes nothing and learns nothing', async () => {
  // A confirmation is no substitute for a role.
  for (const person of [...Object.values(people), foreigner]) await confirm(person);
  const before = await dumpAccount();
  for (const each of table) {
    const what = `${each.method} ${each.path}`;
    const { status } = await call(openBrowser(service), each);
    assert.equal(status, 401, `${what} without a session`);
    for (const role of roles.slice(0, roles.indexOf(each.role))) {
      const refused = await call(people[role], each);
      assert.deepEqual(codeOf(refused), [403, 'PERMISSION_DENIED'], `${what} as ${role}`);
    }
    if (each.method !== 'GET') {
      for (const origin of ['https://elsewhere.example', 'null', undefined]) {
        const refused = await call(owner, each, ids, { origin });
        assert.deepEqual(codeOf(refused), [403, 'PERMISSION_DENIED'], `${what} from ${origin}`);
      }
    }
  }
  assert.deepEqual(await dumpAccount(), before);
});

test('an object of another account is answered like one that does not exist', async () => {
  const before = await dumpAccount();
  for (const each of table) {
    const what = `${each.method} ${each.path}`;
    const reply = await call(foreigner, each);
    if (namesObject(each)) {
      const missing = await call(foreigner, each, unknown);
      assert.equal(reply.status, 404, `${what}: ${JSON.stringify(reply.body)}`);
      assert.equal(withoutIds(reply.body, ids), withoutIds(missing.body, unknown), what);
    } else {
      const text = JSON.stringify(reply.body);
      const seen = [shop.accountId, ...Object.values(ids)].filter((id) => text.includes(id));
      assert.deepEqual(seen, [], what);
    }
  }
  assert.deepEqual(await dumpAccount(), before);
});

test('a field that a route does not take is refused, also one that names another account', async () => {
  await confirm(owner);
  const before = await dumpTables(service.database);
  for (const each of table.filter(({ body }) => body)) {
    for (const name of ['accountId', 'account_id', 'actor']) {
      const body = { ...each.body, [name]: stranger.accountId };
      const refused = await call(owner, { ...each, body });
      const what = `${each.method} ${each.path} with ${name}`;
      assert.deepEqual(codeOf(refused), [400, 'INVALID_REQUEST_PARAMETER'], what);
      assert.match(refused.body.error.svc_merchant_message, new RegExp(`takes no ${name}:`));
    }
  }
  const { sessions, ...others } = await dumpTables(service.database);
  assert.deepEqual({ ...others, sessions: before.sessions }, before);
});

/** In the path of a URL. */
const oddTexts = {
  nul: '%00',
  'nul in a text': 'o_1%00x',
  'a broken escape': '%zz',
  'half an escape': '%2',
  'no UTF-8': '%ff%fe',
  'a long spelling of NUL': '%c0%80',
  'half a character': '%ed%a0%80',
  'a line break': 'a%0d%0ab',
  'a slash': '..%2f..%2fetc',
  'a long text': 'x'.repeat(5_000),
};

test('a path with text that no id has is answered 400 or 404, and changes nothing', async () => {
  await confirm(owner);
  const before = await dumpAccount();
  const ofNoRole: Line[] = ofCaller
    .filter((text) => text.includes('{'))
    .map((text) => text.split(' '))
    .map(([method = '', path = '']) => ({ ...line(method, path, 'viewer'), body: { password } }));
  const named = [...table, ...ofNoRole].map((each) => ({
    ...each,
    path: each.path.replace('access-secret', '{name}').replace(/\?.*/, ''),
  }));
  for (const each of named.filter(({ path }) => path.includes('{'))) {
    // Visitors have a limit of calls a second.
    service.advanceSeconds(1);
    for (const [what, text] of Object.entries(oddTexts)) {
      for (const [place] of each.path.matchAll(/\{\w+\}/g)) {
        const { status, body } = await call(owner, {
          ...each,
          path: each.path.replace(place, text),
        });
        const told = `${status} ${each.method} ${each.path} with ${what}: ${JSON.stringify(body)}`;
        assert.ok([400, 404].includes(status), told);
      }
    }
  }
  assert.deepEqual(await dumpAccount(), before);
});

test('in a suspended account everything can be read and nothing changed', async () => {
  await suspendAccount(service.services, shop.accountId, commandLine);
  for (const each of table) {
    const reply = await call(owner, each);
    const what = `${each.method} ${each.path}`;
    if (each.method === 'GET') assert.equal(reply.status, 200, what);
    else assert.deepEqual(codeOf(reply), [403, 'ACCOUNT_SUSPENDED'], what);
  }
  await resumeAccount(service.services, shop.accountId, commandLine);
});

test('the role of a route suffices for it, and so does each role above', async () => {
  for (const each of table) {
    const able = roles.slice(roles.indexOf(each.role));
    const [first = 'owner'] = able;
    for (const role of each.method === 'DELETE' ? [first] : able) {
      const { status, body } = await call(people[role], each);
      const what = `${each.method} ${each.path} as ${role}: ${JSON.stringify(body)}`;
      const { answer = each.method === 'DELETE' ? 204 : 200 } = each;
      assert.ok([200, answer].includes(status), `${status} ${what}`);
    }
  }
});

function line(method: string, path: string, role: Role): Line {
  return { method, path, role };
}

function viewer(...paths: string[]): Line[] {
  return paths.map((path) => line('GET', path, 'viewer'));
}

/** True if the call names something of an account. A search finds nothing instead. */
function namesObject({ path, body }: Line): boolean {
  return /\{/.test(path.replace(/\?.*/, '') + (body ? JSON.stringify(body).slice(1, -1) : ''));
}

function call(
  browser: ReturnType<typeof openBrowser>,
  { method, path, body, headers }: Line,
  names: Readonly<Record<string, string>> = ids,
  more: Record<string, string | undefined> = {},
) {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_whole, name) => names[name] ?? '');
  const sent = body && JSON.parse(fill(JSON.stringify(body)));
  const from = 'origin' in more ? more.origin : service.services.settings.publicUrl;
  const sentHeaders = { ...(from !== undefined && { origin: from }), ...headers };
  return browser.call(fill(path), { method, body: sent, headers: sentHeaders });
}

/** A message may repeat the id that the caller gave. */
function withoutIds(body: unknown, names: Readonly<Record<string, string>>): string {
  return Object.values(names).reduce((text, id) => text.replaceAll(id, ''), JSON.stringify(body));
}

async function confirm(person: Person): Promise<void> {
  // The sign-in does not count for secrets that are shown.
  service.advanceSeconds(1);
  assert.equal((await person.post('/confirm', { password })).status, 200);
}

/** Ids of everything that routes name, all of one account. */
async function makeOneOfEach() {
  const { endpointId } = await addEndpoint(service, shop.accountId, receiver.url);
  const { orderId, transactionId } = await createPaid({ invoice_id: 'ACCESS-1' });
  // Too little, so that somebody has to look at it.
  const payment = partnerPayment({ amount: 100, notes: { svc_order_id: orderId } });
  const event = partnerEvent('payment.captured', { payment });
  const { body } = await sendPartner(service, shop, event);
  // One that is over, because nobody can close one that waits.
  const dispute = disputeRecord(payment, { status: 'closed' });
  await sendPartner(service, shop, disputeEvent('closed', dispute));
  const colleague = await join(service, shop.accountId, 'viewer');
  await invite(service, shop.accountId, 'viewer', newEmail());
  const [invited] = (await owner.get('/team')).body.invitations;
  const [item] = (await owner.get('/review')).body.items;
  const price = { total_amount: '5.00', currency: 'INR' };
  const { body: linked } = await owner.post('/payment-links', { ...price, invoice_id: 'ACCESS-2' });
  const [{ event_id }] = (await owner.get('/events')).body.events;
  return {
    order_id: orderId,
    linked_order_id: linked.order_id,
    transaction_id: transactionId,
    delivery_id: body.delivery_id,
    endpoint_id: endpointId,
    event_id,
    dispute_id: String(dispute.id),
    review_id: item.id,
    user_id: colleague.userId,
    invitation_id: invited.invitation_id,
  };
}

/** Sessions are used by every call, and what the stranger does is written for the stranger. */
async function dumpAccount() {
  const { sessions, ...tables } = await dumpTables(service.database);
  const own = Object.entries(tables).map(([name, rows]) => [
    name,
    rows.filter((row) => JSON.stringify(row).includes(shop.accountId)),
  ]);
  return Object.fromEntries(own);
}
