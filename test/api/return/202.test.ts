import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { nextLookOf, visit } from '../../support/returns.ts';

const { service, shop, createOrder, initiate } = await startJourney();

test('without a result the page waits, with and without scripts, and reveals nothing', async () => {
  const orderId = await createOrder({ callback_url: 'https://shop.example/back' });
  const { transaction_id } = (await initiate(orderId)).body;
  const url = `${service.baseUrl}/pay/${shop.accountId}/${transaction_id}/return`;
  const { status, text, headers } = await visit(url);
  assert.equal(status, 202);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('set-cookie'), null);
  assert.match(text, /<h1>Waiting for your bank<\/h1>/);
  assert.match(text, /<noscript><meta http-equiv="refresh" content="\d; url=[^"]+"><\/noscript>/);
  assert.equal(text.match(/<script/g)?.length, 1);
  // The time and the nonce may have these digits by chance.
  const told = text.replaceAll(/until=\d+|nonce="[^"]+"/g, '');
  assert.doesNotMatch(told, /<form|<a |asha|Asha|okbank|9876|118|shop\.example/);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; /);
  assert.match(policy, /; connect-src 'self'; /);
  assert.match(policy, /; form-action 'none'; /);
  assert.match(policy, /; script-src 'nonce-[\w+/]+=*'; .*; frame-ancestors 'none'$/);
  const next = new URL(nextLookOf({ status, text, headers, location: null }, url));
  assert.equal(`${next.origin}${next.pathname}`, url);
  const leftMs = Number(next.searchParams.get('until')) - service.services.clock().getTime();
  assert.ok(leftMs > 8_000 && leftMs <= 10_000, `${leftMs}`);
});

test('the hint that the payment succeeded is passed on while the page waits', async () => {
  const { transaction_id } = (await initiate(await createOrder())).body;
  const url = `${service.baseUrl}/pay/${shop.accountId}/${transaction_id}/return`;
  const plain = new URL(nextLookOf(await visit(url), url));
  assert.deepEqual([...plain.searchParams.keys()], ['until']);
  const hinted = `${url}?resultIndicator=abc`;
  const next = new URL(nextLookOf(await visit(hinted), hinted));
  assert.deepEqual([...next.searchParams.keys()], ['until', 'paid']);
  assert.ok(!next.search.includes('abc'));
  const posted = await visit(url, {
    method: 'POST',
    body: new URLSearchParams({ razorpay_payment_id: 'pay_1' }),
  });
  assert.equal(new URL(posted.location ?? '', url).search, '?paid');
});
