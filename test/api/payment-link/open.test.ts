/** `GET /l/<link_id>`: what a consumer gets who follows a payment link. Contract 14.6. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { newLinkId } from '../../../src/domain/ids.ts';
import { limits } from '../../../src/domain/limits.ts';
import { resumeAccount, suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import { openLink } from '../../../src/use-cases/orders/order-tokens.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { claimsOf } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

test('a link redirects to the checkout with a new order token each time', async () => {
  const { order, path } = await createLink();
  const tokens = [];
  for (let use = 0; use < 3; use += 1) {
    const reply = await open(path);
    assert.equal(reply.status, 303);
    assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.equal(reply.headers.get('set-cookie'), null);
    assert.equal(reply.body, '');
    tokens.push(tokenOf(reply, path));
  }
  assert.equal(new Set(tokens).size, 3);
  for (const token of tokens) {
    const { token_type, order_id, sub } = claimsOf(token);
    assert.deepEqual([token_type, order_id, sub], ['order', order.order_id, account.accountId]);
    const got = await service.call('/api/v3/order', { token });
    assert.equal(got.status, 200);
    assert.equal(got.body.user.email, 'a***a@example.com', 'personal data is masked');
  }
});

test('under a public address with a path the redirect stays below that path', async () => {
  const { path } = await createLink();
  const { headers } = await open(path);
  const target = new URL(headers.get('location') ?? '', `https://shop.example/payments${path}`);
  assert.equal(target.pathname, '/payments/checkout');
});

test('a paid order is still opened, so that the checkout can say that it is paid', async () => {
  const { order, path } = await createLink();
  const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
  await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
  const token = tokenOf(await open(path), path);
  const { body } = await service.call('/api/v3/order', { token });
  assert.equal(body.status, 'completed');
  const opened = await openLink(service.services, path.slice('/l/'.length));
  assert.equal(opened.kind, 'closed');
});

test('the token of a restricted order names its consumer', async () => {
  const { order, path } = await createLink();
  const body = { order_id: order.order_id, mobile_number: '9876543210' };
  const resolved = await service.call('/api/v3/resolve-user', { token: account.token, body });
  assert.equal(resolved.status, 200);
  const token = tokenOf(await open(path), path);
  assert.equal(claimsOf(token).user_id, resolved.body.user.user_id);
  assert.equal((await service.call('/api/v3/order', { token })).status, 200);
});

test('an unknown link and a malformed one get the same page', async () => {
  const { path } = await createLink();
  const { accountId } = account;
  const half = '0'.repeat(16);
  const replies = [];
  for (const unknown of [
    newLinkId(accountId),
    `${half}${half}`,
    `${half}${path.slice(-16)}`,
    'x',
    path.slice('/l/'.length, -1),
    `${path.slice('/l/'.length)}0`,
    accountId,
    '%00',
    '%F0%9F%98%80',
    "'%20or%201=1--",
    '%3Cscript%3E',
    '..%2Fcheckout',
  ]) {
    const reply = await open(`/l/${unknown}`);
    assert.equal(reply.status, 404, unknown);
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(reply.headers.get('content-security-policy') ?? '', /^default-src 'none'; /);
    assert.equal(reply.headers.get('location'), null);
    replies.push(reply.body.replaceAll(/nonce="[^"]+"/g, ''));
  }
  assert.equal(new Set(replies).size, 1);
  assert.match(replies[0], /There is no such payment/);
});

test('one link is used ten times a second, then 429; other links are not affected', async (t) => {
  // A machine that needs seconds for the calls would refuse none of them.
  t.after(service.stopClock());
  const [{ path }, { path: other }] = [await createLink(), await createLink()];
  const unknown = `/l/${newLinkId(account.accountId)}`;
  for (const [target, status] of [
    [path, 303],
    [unknown, 404],
  ] as const) {
    const replies = await Promise.all(Array.from({ length: 60 }, () => open(target)));
    const served = replies.filter((reply) => reply.status === status);
    const refused = replies.filter((reply) => reply.status === 429);
    assert.equal(served.length, limits.linkUsesPerSecond);
    assert.equal(refused.length, 60 - limits.linkUsesPerSecond);
    for (const reply of refused) {
      assert.equal(reply.headers.get('retry-after'), '1');
      assert.match(reply.body, /Please wait a few seconds/);
    }
    assert.equal((await open(other)).status, 303);
    service.advanceSeconds(1);
    assert.equal((await open(target)).status, status);
  }
});

test('links do not use up the quota of their account', async () => {
  const limited = await service.createAccount({ requestsPerSecond: 1 });
  const { path } = await createLink({}, limited.token);
  service.advanceSeconds(1);
  for (let use = 0; use < 5; use += 1) assert.equal((await open(path)).status, 303);
  await createLink({}, limited.token);
});

test('a link of a suspended account shows a page with 403, an unknown one stays unknown', async () => {
  const other = await service.createAccount();
  const { path } = await createLink({}, other.token);
  await suspendAccount(service.services, other.accountId, commandLine);
  await waitUntil('it is seen', async () => (await open(path)).status === 403);
  service.advanceSeconds(1);
  const reply = await open(path);
  assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(reply.body, /Payments to this shop are paused/);
  assert.equal((await open(`/l/${newLinkId(other.accountId)}`)).status, 404);
  await resumeAccount(service.services, other.accountId, commandLine);
  await waitUntil('it is seen', async () => (await open(path)).status === 303, 1.5);
});

test('a link supports GET and HEAD only', async () => {
  const { path } = await createLink();
  assert.equal((await open(path, 'HEAD')).status, 303);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const reply = await service.call(path, { method });
    assert.equal(reply.status, 405);
    assert.match(reply.headers.get('allow') ?? '', /GET/);
  }
});

/** Last in this file: it moves the clock. */
test('a link works until the time it was given, and then opens an order that has lapsed', async () => {
  const expires_at = new Date(Date.now() + 40 * 86_400_000).toISOString();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const [month, day] = [
    await createLink({ expires_at }),
    await createLink({ expires_at: tomorrow }),
  ];
  const statusOf = async ({ path }: { path: string }) => {
    const token = tokenOf(await open(path), path);
    return (await service.call('/api/v3/order', { token })).body.status;
  };
  service.advanceSeconds(25 * 3600);
  assert.deepEqual([await statusOf(month), await statusOf(day)], ['new', 'lapsed']);
  service.advanceSeconds(38 * 86_400);
  assert.equal(await statusOf(month), 'new');
  service.advanceSeconds(86_400);
  assert.equal(await statusOf(month), 'lapsed');
});

async function createLink(changes: Record<string, unknown> = {}, token = account.token) {
  const { status, body } = await service.call('/api/v3/payment-link', {
    token,
    body: orderBody(changes),
  });
  assert.equal(status, 200, JSON.stringify(body));
  return { order: body, path: new URL(body.payment_link).pathname };
}

/** Without following the redirect. */
async function open(path: string, method = 'GET'): Promise<Reply> {
  const reply = await fetch(`${service.baseUrl}${path}`, { method, redirect: 'manual' });
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
}

function tokenOf({ status, headers }: Reply, path: string): string {
  assert.equal(status, 303);
  const target = new URL(headers.get('location') ?? '', `${service.baseUrl}${path}`);
  assert.equal(target.pathname, '/checkout');
  assert.deepEqual([...target.searchParams.keys()], ['token']);
  return target.searchParams.get('token') ?? '';
}
