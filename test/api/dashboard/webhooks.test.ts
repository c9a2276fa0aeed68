/** Endpoints and events on the dashboard: who may do what, what is shown to whom, and what the log says. Contract 13.7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTypes } from '../../../src/domain/event-type.ts';
import { eventLimits } from '../../../src/domain/events/limits.ts';
import { createEventDeliveries } from '../../../src/use-cases/events/deliver-events.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, openBrowser, password } from '../../support/dashboard.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { addEndpoint, answerStatus, startShopEndpoint } from '../../support/shop-endpoint.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const shop = await service.createAccount();
const stranger = await service.createAccount();
const owner = await join(service, shop.accountId, 'owner');
const operator = await join(service, shop.accountId, 'operator');
const viewer = await join(service, shop.accountId, 'viewer');
const foreigner = await join(service, stranger.accountId, 'owner');
const receiver = await startShopEndpoint();
const endpoint = await addEndpoint(service, shop.accountId, receiver.url);
const forbidden = [403, 'PERMISSION_DENIED'];
const unknown = [404, 'NOT_FOUND'];
const invalid = [400, 'INVALID_REQUEST_PARAMETER'];

const orderId = await pay('HOOK-1');
service.advanceSeconds(1);
const laterOrderId = await pay('HOOK-2');
await sendDue();
const undeliveredOf = (id: string) =>
  service.database.query({
    text: `update events set state = 'undelivered', next_attempt_at = null where order_id = $1`,
    values: [id],
  });

test('events are listed newest order first, one row for each endpoint, page by page', async () => {
  const { status, body } = await viewer.get('/events');
  assert.equal(status, 200);
  const [first] = body.events;
  const { occurred_at, ...others } = first;
  assert.equal(new Date(occurred_at).toISOString(), occurred_at);
  assert.deepEqual(others, {
    event_id: eventIdOf(laterOrderId, 2),
    event_type: 'order_completed',
    sequence: 2,
    order_id: laterOrderId,
    endpoint_id: endpoint.endpointId,
    state: 'delivered',
    attempts: 1,
    next_attempt_at: null,
  });
  const expected = [2, 1].flatMap((n) => eventIdOf(laterOrderId, n));
  assert.deepEqual(idsOf(body), [...expected, ...[2, 1].map((n) => eventIdOf(orderId, n))]);
  const paged: string[] = [];
  for (let after = ''; ; ) {
    const page = (await viewer.get(`/events?limit=1${after}`)).body;
    paged.push(...idsOf(page));
    if (page.next === null) break;
    after = `&after=${encodeURIComponent(page.next)}`;
  }
  assert.deepEqual(paged, idsOf(body));
});

test('filters by order, state and endpoint; what is not understood is refused', async () => {
  const ofOrder = (await viewer.get(`/events?order_id=${orderId}`)).body;
  assert.deepEqual(
    idsOf(ofOrder),
    [2, 1].map((n) => eventIdOf(orderId, n)),
  );
  await undeliveredOf(orderId);
  const undelivered = (await viewer.get('/events?state=undelivered&limit=1')).body;
  assert.deepEqual(idsOf(undelivered), [eventIdOf(orderId, 2)]);
  const rest = await viewer.get(
    `/events?state=undelivered&after=${encodeURIComponent(undelivered.next)}`,
  );
  assert.deepEqual(idsOf(rest.body), [eventIdOf(orderId, 1)]);
  assert.equal(rest.body.next, null);
  assert.deepEqual(idsOf((await viewer.get('/events?state=pending')).body), []);
  const delivered = (await viewer.get('/events?state=delivered')).body;
  assert.deepEqual(new Set(delivered.events.map(stateOf)), new Set(['delivered']));
  const other = await addEndpoint(service, shop.accountId, 'https://quiet.example/');
  assert.deepEqual(idsOf((await viewer.get(`/events?endpoint=${other.endpointId}`)).body), []);
  await owner.send('DELETE', `/endpoints/${other.endpointId}`);
  const foreign = await addEndpoint(service, stranger.accountId, 'https://other.example/');
  for (const id of [other.endpointId, foreign.endpointId]) {
    assert.deepEqual(codeOf(await viewer.get(`/events?endpoint=${id}`)), unknown);
  }
  for (const query of ['state=dropped', 'order_id=1', 'after=x', 'limit=0', 'since=1h']) {
    assert.deepEqual(codeOf(await viewer.get(`/events?${query}`)), invalid, query);
  }
  await service.database.query({ text: `update events set state = 'delivered'` });
});

test('an event has its body and every attempt; viewers see the consumer masked and no answers', async () => {
  const id = eventIdOf(orderId, 1);
  const { event, endpoints, attempts } = (await operator.get(`/events/${id}`)).body;
  assert.equal(event.event_type, 'payment_success');
  assert.equal(event.order_id, orderId);
  assert.equal(JSON.parse(event.body).user.email, 'asha@example.com');
  assert.deepEqual(
    endpoints.map(({ endpoint_id, url }: Record<string, string>) => [endpoint_id, url]),
    [[endpoint.endpointId, receiver.url]],
  );
  const [{ at, duration_ms, ...attempt }] = attempts;
  assert.ok(Number.isInteger(duration_ms) && Date.parse(at) > 0);
  assert.deepEqual(attempt, {
    endpoint_id: endpoint.endpointId,
    status: 200,
    response: 'ok',
  });
  const masked = (await viewer.get(`/events/${id}`)).body;
  assert.doesNotMatch(JSON.stringify(masked), /asha@example|Asha|9876543210/);
  assert.equal(JSON.parse(masked.event.body).user.email, 'a***a@example.com');
  assert.equal(masked.attempts[0].response, null);
  const nobody = await operator.get(`/events/${eventIdOf('o_0000000000000000', 1)}`);
  const foreign = await foreigner.get(`/events/${id}`);
  assert.deepEqual([codeOf(nobody), codeOf(foreign)], [unknown, unknown]);
});

test('an operator resends an event; a second click sends nothing more', async () => {
  const id = eventIdOf(orderId, 1);
  receiver.clear();
  const replies = await Promise.all([0, 1].map(() => operator.post(`/events/${id}/resend`, {})));
  for (const { status, body } of replies) assert.deepEqual([status, body], [200, { resent: 1 }]);
  await sendDue();
  assert.deepEqual(
    receiver.received.map(({ body }) => body.event_id),
    [id],
  );
  const entry = (await auditOf(service, shop.accountId)).at(-1);
  assert.deepEqual(
    [entry?.actor, entry?.user_id, entry?.address, entry?.action, entry?.object, entry?.details],
    [
      operator.email,
      operator.userId,
      operator.address,
      'event.resent',
      id,
      { endpoint_id: endpoint.endpointId },
    ],
  );
  assert.deepEqual(codeOf(await viewer.post(`/events/${id}/resend`, {})), forbidden);
  assert.deepEqual(codeOf(await foreigner.post(`/events/${id}/resend`, {})), unknown);
});

test('an event whose body is gone, or whose endpoint is disabled, is refused with the reason', async () => {
  const id = eventIdOf(laterOrderId, 2);
  await owner.send('PATCH', `/endpoints/${endpoint.endpointId}`, { enabled: false });
  const disabled = await operator.post(`/events/${id}/resend`, {});
  assert.deepEqual(codeOf(disabled), invalid);
  assert.match(disabled.body.error.svc_merchant_message, /is disabled .*enable it first/);
  await owner.send('PATCH', `/endpoints/${endpoint.endpointId}`, { enabled: true });
  await service.database.query({
    text: 'update events set body = null where order_id = $1 and sequence = 2',
    values: [laterOrderId],
  });
  const pruned = await operator.post(`/events/${id}/resend`, {});
  assert.deepEqual(codeOf(pruned), invalid);
  assert.match(pruned.body.error.svc_merchant_message, /deleted with age/);
  assert.equal((await viewer.get(`/events/${id}`)).body.event.body_pruned, true);
});

test('everything that was given up since a time is resent at once, and once', async () => {
  await undeliveredOf(orderId);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const later = new Date(Date.now() + 3_600_000).toISOString();
  assert.deepEqual((await operator.post('/events/resend', { since: later })).body, {
    resent: 0,
    more: false,
  });
  receiver.clear();
  const body = { since, endpoint_id: endpoint.endpointId };
  const replies = await Promise.all([0, 1].map(() => operator.post('/events/resend', body)));
  // Each of the two events is taken by one of the calls, whichever locks it first.
  const counts: number[] = replies.map((reply) => reply.body.resent);
  assert.equal(
    counts.reduce((sum, resent) => sum + resent, 0),
    2,
  );
  await sendDue();
  assert.equal(receiver.received.length, 2);
  const entries = (await auditOf(service, shop.accountId)).filter(({ details }) => details.events);
  assert.deepEqual(
    entries.map(({ actor, object, details }) => [actor, object, details]),
    counts
      .filter((events) => events > 0)
      .map((events) => [operator.email, endpoint.endpointId, { since, events }]),
  );
  for (const wrong of [{}, { since: 'yesterday' }]) {
    assert.equal((await operator.post('/events/resend', wrong)).status, 400);
  }
  assert.deepEqual(codeOf(await foreigner.post('/events/resend', body)), unknown);
  assert.deepEqual(codeOf(await viewer.post('/events/resend', { since })), forbidden);
});

test('endpoints have their types, what waits and why one is disabled; secrets are nowhere', async () => {
  const { body } = await operator.get('/endpoints');
  const [{ created_at, ...shown }] = body.endpoints;
  assert.ok(Date.parse(created_at) > 0);
  assert.deepEqual(shown, {
    endpoint_id: endpoint.endpointId,
    url: receiver.url,
    events: [...eventTypes],
    all_events: true,
    enabled: true,
    disabled_reason: null,
    failing_since: null,
    pending: { count: 0, more: false },
    undelivered: { count: 0, more: false },
  });
  assert.deepEqual(body.event_types, [...eventTypes]);
  assert.doesNotMatch(JSON.stringify(body), /whsec/);
  assert.equal((await openBrowser(service).get('/endpoints')).status, 401);
});

test('a viewer sees only the origin of an endpoint: its path may be a secret', async () => {
  const { origin } = new URL(receiver.url);
  const shownTo = async (person: typeof viewer) => {
    const why = (await person.get(`/orders/${orderId}/why`)).body.timeline.entries;
    return [
      (await person.get('/endpoints')).body.endpoints[0].url,
      (await person.get(`/events/${eventIdOf(orderId, 1)}`)).body.endpoints[0].url,
      why.find((entry: { kind: string }) => entry.kind === 'event-attempted').url,
    ];
  };
  assert.deepEqual(await shownTo(viewer), [origin, origin, origin]);
  assert.deepEqual(await shownTo(operator), [receiver.url, receiver.url, receiver.url]);
  const text = (await viewer.get(`/orders/${orderId}/why.txt`)).body;
  assert.ok(text.includes(new URL(receiver.url).host) && !text.includes('/events'));
});

test('a change of an endpoint is made as a whole or not at all', async () => {
  const url = 'https://shop.example/whole';
  const { endpoint_id: id } = (await owner.post('/endpoints', { url })).body;
  const alter = (change: string) => service.database.query({ text: `alter table audit ${change}` });
  await alter(`add constraint no_pause check (action <> 'endpoint.disabled') not valid`);
  const change = { url: 'https://shop.example/other', enabled: false };
  const { status } = await owner.send('PATCH', `/endpoints/${id}`, change);
  await alter('drop constraint no_pause');
  const { endpoints } = (await owner.get('/endpoints')).body;
  const kept = endpoints.find((each: { endpoint_id: string }) => each.endpoint_id === id);
  assert.deepEqual([status, kept.url, kept.enabled], [500, url, true]);
  const changed = await owner.send('PATCH', `/endpoints/${id}`, change);
  assert.deepEqual([changed.body.url, changed.body.enabled], [change.url, false]);
  await owner.send('DELETE', `/endpoints/${id}`);
});

test('an owner creates, changes, rotates and deletes an endpoint, each with a line in the log', async () => {
  const url = 'https://shop.example/events?key=hidden';
  const created = await owner.post('/endpoints', { url, events: ['order_completed'] });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const { endpoint_id: id, secret } = created.body;
  assert.match(secret, /^whsec_/);
  const path = `/endpoints/${id}`;
  const changed = await owner.send('PATCH', path, { url: 'https://shop.example/v2', events: [] });
  assert.deepEqual(
    [changed.body.url, changed.body.all_events, changed.body.secret],
    ['https://shop.example/v2', true, undefined],
  );
  const disabled = await owner.send('PATCH', path, { enabled: false });
  assert.equal(disabled.body.disabled_reason, 'Disabled by the operator.');
  assert.equal((await owner.send('PATCH', path, { enabled: true })).body.enabled, true);
  const rotated = await owner.post(`${path}/rotate`, { overlap_hours: 2 });
  const hours = (Date.parse(rotated.body.old_valid_until) - Date.now()) / 3_600_000;
  assert.ok(hours > 1.9 && hours < 2.1, `${hours}`);
  assert.notEqual(rotated.body.secret, secret);
  assert.equal((await owner.send('DELETE', path)).status, 204);
  assert.deepEqual(codeOf(await owner.send('DELETE', path)), unknown);
  const entries = (await auditOf(service, shop.accountId)).filter(({ object }) => object === id);
  assert.deepEqual(
    entries.map(({ actor, action }) => [actor, action]),
    ['created', 'updated', 'disabled', 'enabled', 'rotated', 'deleted'].map((verb) => [
      owner.email,
      `endpoint.${verb}`,
    ]),
  );
  assert.ok(entries.every(({ address }) => address === owner.address));
  assert.doesNotMatch(JSON.stringify(entries), /whsec|hidden/);
});

test('bad input is refused with what to do, and nothing changes', async () => {
  const path = `/endpoints/${endpoint.endpointId}`;
  const refused: [method: string, path: string, body: unknown][] = [
    ['POST', '/endpoints', { url: 'shop.example' }],
    ['POST', '/endpoints', { url: 'https://a:b@shop.example/' }],
    ['POST', '/endpoints', { url: 'https://10.0.0.1/' }],
    ['POST', '/endpoints', { url: 'https://shop.example/', events: ['paid'] }],
    ['POST', '/endpoints', {}],
    ['PATCH', path, {}],
    ['PATCH', path, { url: 'ftp://shop.example/' }],
    ['POST', `${path}/rotate`, { overlap_hours: -1 }],
  ];
  const before = (await owner.get('/endpoints')).body;
  for (const [method, to, body] of refused) {
    const reply = await owner.send(method, to, body);
    assert.equal(reply.status, 400, `${method} ${to} ${JSON.stringify(body)}`);
    assert.match(reply.body.error.svc_merchant_message, /\w/);
  }
  assert.deepEqual((await owner.get('/endpoints')).body, before);
});

test('a secret is shown only to an owner who has proved who they are within five minutes', async () => {
  const late = await join(service, shop.accountId, 'owner');
  service.advanceSeconds(6 * 60);
  const url = 'https://late.example/';
  const path = `/endpoints/${endpoint.endpointId}/rotate`;
  assert.equal((await late.post('/endpoints', { url })).status, 403);
  assert.equal((await late.post(path, {})).status, 403);
  await late.post('/confirm', { password });
  const created = await late.post('/endpoints', { url });
  assert.equal(created.status, 200);
  await late.send('DELETE', `/endpoints/${created.body.endpoint_id}`);
  await owner.post('/confirm', { password });
});

test('viewers and operators change no endpoint, and nobody one of another account', async () => {
  const path = `/endpoints/${endpoint.endpointId}`;
  const changes: [method: string, path: string, body?: unknown][] = [
    ['POST', '/endpoints', { url: 'https://x.example/' }],
    ['PATCH', path, { enabled: false }],
    ['DELETE', path],
    ['POST', `${path}/rotate`, {}],
  ];
  for (const person of [viewer, operator]) {
    for (const [method, to, body] of changes) {
      assert.deepEqual(codeOf(await person.send(method, to, body)), forbidden, `${method} ${to}`);
    }
  }
  assert.deepEqual(codeOf(await viewer.post(`${path}/test`)), forbidden);
  await foreigner.post('/confirm', { password });
  const none = `/endpoints/ep_${stranger.accountId.slice(4)}${'0'.repeat(16)}`;
  for (const [method, to, body] of [...changes.slice(1), ['POST', `${path}/test`] as const]) {
    const theirs = await foreigner.send(method, to, body);
    assert.deepEqual(codeOf(theirs), unknown, `${method} ${to}`);
    const missing = await foreigner.send(method, to.replace(path, none), body);
    const message = theirs.body.error.svc_merchant_message;
    const same = message.replace(endpoint.endpointId, none.slice('/endpoints/'.length));
    assert.equal(missing.body.error.svc_merchant_message, same);
  }
});

test('a test is sent at once, to the URL as it is now, and answers what the endpoint replied', async () => {
  const path = `/endpoints/${endpoint.endpointId}`;
  receiver.clear();
  const { status, body } = await operator.post(`${path}/test`);
  const { event_id, duration_ms, ...others } = body;
  assert.equal(status, 200);
  assert.match(event_id, /-0$/);
  assert.ok(Number.isInteger(duration_ms));
  const delivered = { delivered: true, status: 200, response: 'ok' };
  assert.deepEqual(others, { endpoint_id: endpoint.endpointId, ...delivered });
  assert.equal(receiver.received[0]?.body.event_type, 'test');
  const moved = await startShopEndpoint();
  moved.answer = answerStatus(500);
  await owner.send('PATCH', path, { url: moved.url });
  const refused = (await operator.post(`${path}/test`)).body;
  assert.deepEqual([refused.delivered, refused.status], [false, 500]);
  moved.close();
  const gone = (await operator.post(`${path}/test`)).body;
  assert.deepEqual([gone.delivered, gone.status], [false, null]);
  assert.match(gone.response, /refused/);
  const entry = (await auditOf(service, shop.accountId)).at(-1);
  assert.deepEqual([entry?.actor, entry?.action], [operator.email, 'endpoint.tested']);
});

test('an account has at most ten endpoints', async () => {
  const account = await service.createAccount();
  const busy = await join(service, account.accountId, 'owner');
  for (let made = 0; made < eventLimits.endpointsMax; made += 1) {
    const url = `https://shop.example/${made}`;
    assert.equal((await busy.post('/endpoints', { url })).status, 200);
  }
  assert.deepEqual(
    codeOf(await busy.post('/endpoints', { url: 'https://shop.example/' })),
    invalid,
  );
});

test('with more given up than are sorted, pages are still newest first and leave deleted endpoints out', async () => {
  const account = await service.createAccount();
  const person = await join(service, account.accountId, 'viewer');
  const [kept, deleted] = await Promise.all(
    ['kept', 'deleted'].map((name) =>
      addEndpoint(service, account.accountId, `https://${name}.example/`),
    ),
  );
  await service.database.query({
    text: `insert into events (account_id, order_id, sequence, endpoint_id, event_type, status,
                               occurred_at, state, attempts, failures)
           select $1, 'o_' || lpad(n::text, 16, '0'), 1, e, 'order_lapsed', 'lapsed', now(),
                  'undelivered', 10, 10
             from generate_series(1, 10001) n, unnest($2::text[]) e`,
    values: [account.accountId, [kept?.endpointId, deleted?.endpointId]],
  });
  await service.database.query({
    text: 'delete from endpoints where endpoint_id = $1',
    values: [deleted?.endpointId],
  });
  const numbersOf = (body: { events: { order_id: string; endpoint_id: string }[] }) =>
    body.events.map(({ order_id, endpoint_id }) => [Number(order_id.slice(2)), endpoint_id]);
  const first = (await person.get('/events?state=undelivered&limit=2')).body;
  assert.deepEqual(numbersOf(first), [
    [10_001, kept?.endpointId],
    [10_000, kept?.endpointId],
  ]);
  const after = encodeURIComponent(first.next);
  const second = (await person.get(`/events?state=undelivered&limit=1&after=${after}`)).body;
  assert.deepEqual(numbersOf(second), [[9_999, kept?.endpointId]]);
  const [listed] = (await person.get('/endpoints')).body.endpoints;
  assert.deepEqual(listed.undelivered, { count: 200, more: true });
});

async function pay(invoice_id: string): Promise<string> {
  const body = orderBody({ invoice_id });
  const reply = await service.call('/api/v3/create-order', { token: shop.token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const payment = partnerPayment({ amount: 11_800, notes: { invoice_id } });
  await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
  return reply.body.order_id;
}

/** As the service does in the background. */
async function sendDue(): Promise<void> {
  const deliveries = createEventDeliveries(service.services);
  await deliveries.startDue();
  await deliveries.stop();
}

function eventIdOf(order: string, sequence: number): string {
  return `evt_${shop.accountId.slice(4)}${order.slice(2)}-${sequence}`;
}

function idsOf({ events }: { events: { event_id: string }[] }): string[] {
  return events.map(({ event_id }) => event_id);
}

function stateOf({ state }: { state: string }): string {
  return state;
}
