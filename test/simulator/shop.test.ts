/** The shop of the simulator: what it accepts, how it answers, and what its page shows. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ReceivedEvent, startSimulator } from '../../simulator/simulator.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { changeShop, newSecret, sendEvent, shopEvent } from '../support/shop-requests.ts';

test('an event is verified with the secret of its endpoint, and its fields are kept', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  const reply = await sendEvent(simulator.shop.url, secret, shopEvent());
  assert.deepEqual([reply.status, await reply.json()], [200, { answer: '200 OK' }]);
  const event = onlyEvent(simulator);
  assert.deepEqual(
    [event.id, event.attempts, event.verdict, event.answer],
    ['evt_1', 1, { kind: 'verified' }, '200'],
  );
  assert.deepEqual(event.content, {
    type: 'payment_success',
    sequence: '1',
    status: 'succeeded',
    orderId: 'o_1',
    invoiceId: 'INV-1',
    transactionId: 'o_1-261116151445',
    occurredAt: '2026-11-16T15:14:45.281Z',
  });
});

test('an event with another secret, an old one and one without a signature are not verified and answered 400', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  const { url } = simulator.shop;
  const old = new Date(Date.now() - 301_000);
  for (const send of [
    () => sendEvent(url, newSecret(), shopEvent()),
    () => sendEvent(url, secret, shopEvent(), { sentAt: old }),
    () => fetch(url, { method: 'POST', body: JSON.stringify(shopEvent()) }),
  ]) {
    assert.equal((await send()).status, 400);
    const [event] = simulator.shop.events();
    assert.deepEqual([event?.verdict.kind, event?.answer], ['not verified', '400']);
  }
});

test('events that come before their secret are accepted, and verified when it is given', async (t) => {
  const simulator = await start(t);
  const secret = newSecret();
  assert.equal((await sendEvent(simulator.shop.url, secret, shopEvent())).status, 200);
  assert.equal(onlyEvent(simulator).verdict.kind, 'secret unknown');
  assert.equal(await simulator.shop.trust(newSecret()), true);
  assert.equal(onlyEvent(simulator).verdict.kind, 'not verified');
  assert.equal(await simulator.shop.trust(`${secret}\n`), true);
  assert.equal(onlyEvent(simulator).verdict.kind, 'verified');
});

test('the signature of an encrypted event is verified, and the access secret opens it', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  // From docs/integrate.md.
  const encrypted_response =
    '000102030405060708090a0b0c0d0e0f55909abd34fb2f23414d8147d802858e4a4ef313a2222b3615fd134860603822345917365fced191f53ef599f9deaa7aafad5ced6f7d63b68a';
  const event = { event_id: 'evt_1', encrypted_response, sub_merchant_id: 'acc_1' };
  assert.equal((await sendEvent(simulator.shop.url, secret, event)).status, 200);
  const { verdict } = onlyEvent(simulator);
  assert.equal(verdict.kind, 'verified');
  assert.match(verdict.note ?? '', /cannot be opened/);
  await changeShop(simulator.url, { secret: 'access_secret_b5f3c1d0' });
  assert.deepEqual(onlyEvent(simulator).verdict, { kind: 'verified' });
  assert.match(onlyEvent(simulator).bodyText, /"invoice_id": "INV-1"/);
});

test('a repeated event is counted, comes first, and other bytes under its id are reported', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  const { url } = simulator.shop;
  await sendEvent(url, secret, shopEvent());
  await sendEvent(url, secret, shopEvent({ event_id: 'evt_2', sequence: 2 }));
  await sendEvent(url, secret, shopEvent());
  const counted = () =>
    simulator.shop.events().map(({ id, attempts, isChanged }) => [id, attempts, isChanged]);
  assert.deepEqual(counted(), [
    ['evt_1', 2, false],
    ['evt_2', 1, false],
  ]);
  await sendEvent(url, secret, shopEvent({ status: 'failed' }));
  assert.deepEqual(counted()[0], ['evt_1', 3, true]);
});

test('the response of the shop is set by JSON, or by the form on its page', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  const { url } = simulator.shop;
  for (const [answer, status, retryAfter] of [
    ['error', 500, null],
    ['busy', 503, '10'],
    ['gone', 410, null],
    ['ok', 200, null],
  ] as const) {
    const changed = await changeShop(simulator.url, { answer });
    assert.deepEqual([changed.status, await changed.json()], [200, { answer, secrets: 1 }]);
    const reply = await sendEvent(url, secret, shopEvent());
    assert.deepEqual([reply.status, reply.headers.get('retry-after')], [status, retryAfter]);
    assert.equal(onlyEvent(simulator).answer, String(status));
  }
  const body = new URLSearchParams({ answer: 'gone' });
  const to = `${simulator.url}/simulator/shop`;
  const changed = await fetch(to, { method: 'POST', body, redirect: 'manual' });
  assert.deepEqual([changed.status, changed.headers.get('location')], [303, '/shop']);
  const { answer, events } = (await (await fetch(to)).json()) as Record<string, unknown>;
  assert.deepEqual([answer, (events as unknown[]).length], ['gone', 1]);
});

test('a wrong change is refused with a reason, and changes nothing', async (t) => {
  const simulator = await start(t);
  for (const [fields, error] of [
    [{}, 'Give answer, secret or both.'],
    [{ answer: 'constructor' }, 'answer must be one of: ok, error, busy, hang, gone.'],
    [
      { answer: 'gone', secret: 'whsec_short' },
      'secret must be one that endpoint create printed (whsec_…), or an access secret.',
    ],
  ] as const) {
    const reply = await changeShop(simulator.url, fields);
    assert.deepEqual([reply.status, await reply.json()], [400, { error }]);
  }
  assert.equal((await sendEvent(simulator.shop.url, newSecret(), shopEvent())).status, 200);
});

test('a shop that hangs stores the event and does not answer, and keeps 100 connections at most', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  await changeShop(simulator.url, { answer: 'hang' });
  const leave = new AbortController();
  let closed = 0;
  const waiting = Array.from({ length: 101 }, (_, index) =>
    sendEvent(simulator.shop.url, secret, shopEvent({ event_id: `evt_${index}` }), leave).catch(
      () => {
        closed += 1;
      },
    ),
  );
  await waitUntil('the first connection is closed', () => closed === 1);
  await delay(50);
  assert.equal(closed, 1);
  assert.equal(simulator.shop.events().length, 101);
  assert.ok(simulator.shop.events().every(({ answer }) => answer === 'no answer'));
  leave.abort();
  await Promise.all(waiting);
});

test('the last 200 events are kept, and bodies up to 256 KiB', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  const { url } = simulator.shop;
  for (let index = 0; index < 201; index += 1) {
    await sendEvent(url, secret, shopEvent({ event_id: `evt_${index}` }));
  }
  const ids = simulator.shop.events().map(({ id }) => id);
  assert.deepEqual([ids.length, ids[0], ids.at(-1)], [200, 'evt_200', 'evt_1']);

  const bytes = JSON.stringify(shopEvent({ message: '' })).length;
  const message = 'x'.repeat(256 * 1024 - bytes);
  assert.equal((await sendEvent(url, secret, shopEvent({ message }))).status, 200);
  assert.ok((simulator.shop.events()[0]?.bodyText.length ?? 0) < 10_000);
  assert.equal((await sendEvent(url, secret, shopEvent({ message: `${message}x` }))).status, 413);
});

test('a body that is nested deeply is shown as it is', async (t) => {
  const simulator = await start(t);
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  assert.equal((await fetch(simulator.shop.url, { method: 'POST', body: deep })).status, 200);
  assert.equal(onlyEvent(simulator).bodyText, `${'['.repeat(8 * 1024)}…`);
});

test('the page shows everything escaped, without secrets, and runs its own script only', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  const order = { invoice_id: '<b>"INV"</b>' };
  const fields = { event_type: '<b>', status: '<b>', message: '\u001b[2J<b>\u202e', order };
  await sendEvent(simulator.shop.url, secret, shopEvent({ event_id: 'evt_"><b>', ...fields }));
  const reply = await fetch(`${simulator.url}/shop`);
  const html = await reply.text();
  assert.doesNotMatch(html, /<b>|[^\P{C}\n]|src=|<link(?! rel="icon" href="data:)|@import|url\(/u);
  assert.ok(html.includes('&#60;b&#62;&#34;INV&#34;&#60;/b&#62;'));
  assert.ok(!html.includes(secret.slice('whsec_'.length)));
  const policy = reply.headers.get('content-security-policy') ?? '';
  const [, nonce = ''] = /script-src 'nonce-([\w+/=]+)'/.exec(policy) ?? [];
  assert.match(policy, /^default-src 'none'; .*connect-src 'self'; form-action 'self'; base-uri/);
  assert.deepEqual(html.match(/<script[^>]*>/g), [`<script nonce="${nonce}">`]);
});

test('the page is sent again only if it has changed', async (t) => {
  const { simulator, secret } = await startWithSecret(t);
  const get = async (tag: string) => {
    const reply = await fetch(`${simulator.url}/shop`, { headers: { 'if-none-match': tag } });
    return { status: reply.status, tag: reply.headers.get('etag') ?? '' };
  };
  const first = await get('');
  assert.deepEqual(await get(first.tag), { status: 304, tag: first.tag });
  await sendEvent(simulator.shop.url, secret, shopEvent());
  const second = await get(first.tag);
  assert.equal(second.status, 200);
  await changeShop(simulator.url, { answer: 'gone' });
  assert.equal((await get(second.tag)).status, 200);
});

async function start(t: TestContext) {
  const simulator = await startSimulator();
  t.after(simulator.close);
  return simulator;
}

async function startWithSecret(t: TestContext) {
  const simulator = await start(t);
  const secret = newSecret();
  assert.equal((await changeShop(simulator.url, { secret })).status, 200);
  return { simulator, secret };
}

function onlyEvent({ shop }: Awaited<ReturnType<typeof start>>): ReceivedEvent {
  const [event, ...others] = shop.events();
  assert.ok(event && others.length === 0);
  return event;
}
