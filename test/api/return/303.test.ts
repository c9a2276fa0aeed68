import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { listRecentHistory } from '../../../src/store/orders/history.ts';
import { rotateSecret } from '../../../src/use-cases/accounts/rotate-secret.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import {
  type Action,
  findCheckout,
  type JourneyShop,
  modeOf,
  startJourney,
} from '../../support/journey.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { signatureOf } from '../../support/plugin-signature.ts';
import { awaitResult, nextLookOf, payloadOf, visit } from '../../support/returns.ts';

const { service, simulator, shop, openShop, createOrder, initiate, pay, enquire, assertSound } =
  await startJourney();
const back = 'https://shop.example/back';

const outcomes: [action: Action, payment_status: string, status: string, message: RegExp][] = [
  ['pay', 'succeeded', 'success', /^The payment succeeded\.$/],
  ['decline', 'failed', 'failed', /^[A-Z].+\.$/],
  ['cancel', 'failed', 'failed', /^[A-Z].+\.$/],
];
for (const [provider, mode] of Object.entries(modeOf)) {
  for (const [action, payment_status, status, message] of outcomes) {
    test(`a consumer who chose to ${action} at ${provider} is redirected with the whole signed result`, async () => {
      const orderId = await createOrder({
        callback_url: back,
        custom_attributes: { campaign: 'diwali ☕' },
      });
      const transactionId = await pay(orderId, mode, action);
      await simulator.settled();
      const reply = await visit(returnOf(transactionId));
      assert.equal(reply.status, 303);
      assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.equal(reply.headers.get('set-cookie'), null);
      assert.ok(reply.location?.startsWith(`${back}?response=`), reply.location ?? '');

      const payload = payloadOf(reply);
      const { body } = await enquire({ transaction_id: transactionId });
      const [element] = body.transaction;
      assert.equal(element.payment_status, payment_status);
      assert.match(payload.message, message);
      assert.deepEqual(payload, {
        svc_order_id: orderId,
        svc_transaction_id: transactionId,
        invoice_id: body.order.invoice_id,
        status,
        message: payload.message,
        svc_signature: element.svc_signature,
        signature_version: 'v3',
        order: body.order,
        transaction: {
          ...element,
          transaction_id: transactionId,
          signature: element.svc_signature,
          status: payment_status,
        },
      });
      assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
    });
  }
}

for (const version of ['v2', 'v3'] as const) {
  test(`a payment without a result is returned as pending after 10 s, signed only by v3: ${version}`, async () => {
    const account = await openShop({ signatureVersion: version });
    const { transaction_id } = await start(account);
    const url = returnOf(transaction_id, account);
    const first = await visit(url);
    assert.equal(first.status, 202);
    const look = nextLookOf(first, url);
    service.advanceSeconds(8.5);
    assert.equal((await visit(look)).status, 202);
    service.advanceSeconds(1.6);
    const last = await visit(look);
    assert.equal(last.status, 303);
    const payload = payloadOf(last);
    assert.equal(payload.status, 'pending');
    assert.equal(payload.transaction.payment_status, 'pending');
    assert.equal(payload.signature_version, version);
    const expected = version === 'v2' ? null : signatureOf(payload, account.accessSecret);
    assert.equal(payload.svc_signature, expected);
    assert.equal(payload.transaction.svc_signature, expected);
    assert.equal(payload.transaction.signature, expected);
    // The enquiry signs final results only.
    const body = { transaction_id };
    const { token } = account;
    const enquiry = await service.call('/api/v3/transaction-enquiry', { token, body });
    assert.equal(enquiry.body.transaction[0].svc_signature, null);
  });

  test(`a final result has the account's own signature: ${version}`, async () => {
    const account = await openShop({ signatureVersion: version });
    const { transaction_id, next } = await start(account);
    await simulator.pay(await findCheckout(next[0].url));
    await simulator.settled();
    const payload = payloadOf(await visit(returnOf(transaction_id, account)));
    assert.equal(payload.status, 'success');
    assert.equal(payload.signature_version, version);
    assert.equal(payload.svc_signature, signatureOf(payload, account.accessSecret));
  });
}

for (const [provider, mode] of Object.entries(modeOf)) {
  test(`while the webhook of ${provider} is missing the provider is polled, and the consumer waits`, async () => {
    const orderId = await createOrder({ callback_url: back });
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    const transactionId = await pay(orderId, mode);
    const reply = await awaitResult(returnOf(transactionId));
    assert.equal(payloadOf(reply).status, 'success');
    assert.equal(await countPolls(transactionId), 1);
  });
}

test('however many consumers wait, the provider is polled once in three seconds', async () => {
  const orderId = await createOrder({ callback_url: back });
  const { transaction_id } = (await initiate(orderId)).body;
  const url = returnOf(transaction_id);
  const look = () => Promise.all(Array.from({ length: 20 }, () => visit(url)));
  for (const { status } of await look()) assert.equal(status, 202);
  await settledPolls(transaction_id, 1);
  service.advanceSeconds(2.5);
  await look();
  await settledPolls(transaction_id, 1);
  service.advanceSeconds(0.6);
  await look();
  await settledPolls(transaction_id, 2);
  // After an hour nobody is still paying: a page that is reloaded repeatedly polls like the enquiry.
  service.advanceSeconds(3700);
  await look();
  await settledPolls(transaction_id, 3);
  service.advanceSeconds(30);
  await look();
  await settledPolls(transaction_id, 3);
});

test('the result is the payment that completed the order, even for a payment that failed', async () => {
  const orderId = await createOrder({ callback_url: back });
  const failed = await pay(orderId, 'upi', 'decline');
  const left = (await initiate(orderId)).body.transaction_id;
  const paid = await pay(orderId, 'credit_card');
  await simulator.settled();
  for (const transactionId of [failed, left, paid]) {
    const payload = payloadOf(await visit(returnOf(transactionId)));
    assert.equal(payload.status, 'success');
    assert.equal(payload.svc_transaction_id, paid);
    assert.equal(payload.transaction.svc_transaction_id, paid);
    assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
  }
});

test('a payment of another amount than the order expects is not a success for the shop', async () => {
  const orderId = await createOrder({ callback_url: back });
  simulator.setScenarioFor(orderId, { name: 'partial-capture-only' });
  const transactionId = await pay(orderId, 'credit_card');
  await simulator.settled();
  const { body } = await enquire({ transaction_id: transactionId });
  assert.equal(body.transaction[0].payment_status, 'succeeded');
  const payload = payloadOf(await visit(returnOf(transactionId)));
  assert.equal(payload.status, 'pending');
  assert.equal(payload.transaction.status, 'succeeded');
});

test('a failed attempt does not hide a later one that the browser reports', async () => {
  const orderId = await createOrder({ callback_url: back });
  const { transaction_id, next } = (await initiate(orderId, 'credit_card')).body;
  const checkout = await findCheckout(next[0].url);
  await simulator.pay(checkout, 'decline');
  await simulator.settled();
  const url = returnOf(transaction_id);
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  await simulator.pay(checkout);
  // Without a hint of the browser the stored state counts.
  assert.equal(payloadOf(await visit(url)).status, 'failed');
  const reply = await awaitResult(`${url}?resultIndicator=anything`);
  assert.equal(payloadOf(reply).status, 'success');
});

test('what the browser claims is never the result', async () => {
  const orderId = await createOrder({ callback_url: back });
  const { transaction_id } = (await initiate(orderId)).body;
  const claims = 'resultIndicator=x&razorpay_payment_id=pay_1&status=success&response=eyJ9';
  const url = `${returnOf(transaction_id)}?${claims}`;
  const first = await visit(url);
  assert.equal(first.status, 202);
  service.advanceSeconds(10.1);
  assert.equal(payloadOf(await visit(nextLookOf(first, url))).status, 'pending');

  const failed = await pay(await createOrder({ callback_url: back }), 'upi', 'decline');
  await simulator.settled();
  const hinted = `${returnOf(failed)}?${claims}`;
  const waiting = await visit(hinted);
  service.advanceSeconds(10.1);
  assert.equal(payloadOf(await visit(nextLookOf(waiting, hinted))).status, 'pending');
  assert.equal(payloadOf(await visit(returnOf(failed))).status, 'failed');
});

test('the browser can neither extend nor break the wait', async () => {
  const { transaction_id } = (await initiate(await createOrder({ callback_url: back }))).body;
  const url = returnOf(transaction_id);
  const far = service.services.clock().getTime() + 3_600_000;
  for (const until of [String(far), '9'.repeat(400), 'soon', '', '-1e9', '1&until=2', '%00']) {
    const reply = await visit(`${url}?until=${until}`);
    assert.equal(reply.status, 202, until);
    service.advanceSeconds(10.1);
    assert.equal((await visit(nextLookOf(reply, url))).status, 303);
  }
  assert.equal((await visit(`${url}?until=0`)).status, 303);
});

const addresses: [callback_url: string, before: string, after: string][] = [
  ['https://shop.example', 'https://shop.example/?response=', ''],
  ['https://shop.example/a?b=1&c=%20x', 'https://shop.example/a?b=1&c=%20x&response=', ''],
  ['https://shop.example/a?b#end', 'https://shop.example/a?b&response=', '#end'],
  ['https://shop.example/a#/route?x', 'https://shop.example/a?response=', '#/route?x'],
  ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4?response=', ''],
  ['https://shop.example/a?response=old&b=1', 'https://shop.example/a?b=1&response=', ''],
  ['http://127.0.0.1:1/a?', 'http://127.0.0.1:1/a?response=', ''],
];
for (const [callback_url, start, end] of addresses) {
  test(`the result follows the query of ${callback_url} and precedes its fragment`, async () => {
    const transactionId = await pay(await createOrder({ callback_url }), 'credit_card');
    await simulator.settled();
    const reply = await visit(returnOf(transactionId));
    const location = reply.location ?? '';
    assert.ok(location.startsWith(start) && location.endsWith(end), location);
    assert.match(location.slice(start.length, location.length - end.length), /^[A-Za-z0-9%]+$/);
    assert.equal(payloadOf(reply).status, 'success');
  });
}

test('the address and mode of the payment take precedence over the current ones of the order', async () => {
  const orderId = await createOrder({ callback_url: back });
  const own = await initiate(orderId, 'upi', { callback_url: `${back}/own` });
  const posted = await initiate(orderId, 'upi', { callback_mode: 'callback_url_post' });
  const plain = await initiate(orderId);
  const { token } = await issueMerchantToken(service.services, shop.accountId);
  const changed = { order_id: orderId, callback_url: `${back}/new` };
  await service.call('/api/v3/update-order', { token, body: changed });
  const over = (reply: typeof own) => visit(`${returnOf(reply.body.transaction_id)}?until=0`);
  assert.ok((await over(own)).location?.startsWith(`${back}/own?response=`));
  assert.ok((await over(plain)).location?.startsWith(`${back}/new?response=`));
  assert.equal((await over(posted)).status, 200);
});

test('the result leaves out many attributes rather than exceed the length of a URL', async () => {
  const custom_attributes = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`key-${index}`, 'v'.repeat(512)]),
  );
  const transactionId = await pay(await createOrder({ callback_url: back, custom_attributes }));
  await simulator.settled();
  const reply = await visit(returnOf(transactionId));
  assert.ok((reply.location?.length ?? 0) < 8_000, `${reply.location?.length}`);
  const payload = payloadOf(reply);
  assert.equal(payload.status, 'success');
  assert.ok(!('custom_attributes' in payload.order));
  assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
});

test("a provider's post redirects to our page without the posted fields", async () => {
  const transactionId = await pay(await createOrder({ callback_url: back }));
  await simulator.settled();
  const url = returnOf(transactionId);
  const fields = { razorpay_payment_id: 'pay_1', razorpay_signature: 'x', razorpay_order_id: 'y' };
  const bodies: RequestInit[] = [
    { body: new URLSearchParams(fields) },
    { body: new URLSearchParams({ 'error[code]': 'BAD_REQUEST_ERROR' }) },
    { body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } },
    { body: '{', headers: { 'content-type': 'application/json' } },
    { body: new Uint8Array([0, 255]), headers: { 'content-type': 'what/ever' } },
    {},
  ];
  for (const init of bodies) {
    const reply = await visit(url, {
      method: 'POST',
      ...init,
      headers: { origin: 'https://provider.example', ...init.headers },
    });
    assert.equal(reply.status, 303);
    const page = new URL(reply.location ?? '', url);
    assert.equal(`${page.origin}${page.pathname}`, url);
    assert.doesNotMatch(page.search, /pay_1|razorpay/);
    assert.equal(payloadOf(await visit(page.href)).status, 'success');
  }
});

test('after a rotation the result is signed with the new secret', async () => {
  const account = await openShop();
  const { transaction_id } = await start(account);
  const { secret } = await rotateSecret(
    service.services,
    account.accountId,
    'access-secret',
    3600,
    commandLine,
  );
  await waitUntil('the new secret signs', async () => {
    const payload = payloadOf(await visit(`${returnOf(transaction_id, account)}?until=0`));
    return payload.svc_signature === signatureOf(payload, secret);
  });
});

test('the invariants hold after all of this', assertSound);

function returnOf(transactionId: string, { accountId }: JourneyShop = shop): string {
  return `${service.baseUrl}/pay/${accountId}/${transactionId}/return`;
}

/** A payment by card of another shop. */
async function start({ accountId }: JourneyShop) {
  const { token } = await issueMerchantToken(service.services, accountId);
  const order = await service.call('/api/v3/create-order', {
    token,
    body: orderBody({ callback_url: back }),
  });
  const { order_id } = order.body;
  const body = { order_id, payment_mode_code: 'credit_card' };
  const reply = await service.call('/api/v3/initiate-payment', { token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function countPolls(transactionId: string): Promise<number> {
  const [orderId = ''] = transactionId.split('-');
  const history = await listRecentHistory(
    service.database,
    { accountId: shop.accountId, orderId },
    1_000,
  );
  return history.filter(
    (entry) => entry.transactionId === transactionId && entry.call?.operation === 'fetch-status',
  ).length;
}

/** The page does not wait for a poll. */
async function settledPolls(transactionId: string, count: number): Promise<void> {
  await waitUntil('the poll is recorded', async () => (await countPolls(transactionId)) >= count);
  assert.equal(await countPolls(transactionId), count);
}
