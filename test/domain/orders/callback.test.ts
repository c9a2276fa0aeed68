import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../src/domain/errors.ts';
import { callbackOf, checkCallback } from '../../../src/domain/orders/callback.ts';

const listed = { callbackOrigins: ['https://shop.example', 'http://127.0.0.1:9000'] };
const unlisted = { callbackOrigins: [] };
const shop = 'https://shop.example/back?a=1#end';
const elsewhere = 'https://elsewhere.example/back';
const none = {};

const addresses: [url: string, isTaken: boolean][] = [
  ['https://shop.example', true],
  [shop, true],
  ['https://shop.example:8443/back', true],
  ['https://[2001:db8::1]/back', true],
  ['http://localhost:3000/back', true],
  ['http://127.0.0.1/back', true],
  ['http://127.9.8.7:1/back', true],
  ['http://[::1]:3000/back', true],
  ['HTTPS://SHOP.example/back', true],
  ['http://shop.example/back', false],
  ['http://localhost.example/back', false],
  ['http://127.0.0.1.example/back', false],
  ['https://user@shop.example/back', false],
  ['https://:word@shop.example/back', false],
  ['https://shop.example/a b', false],
  ['shopapp://paid', false],
  ['intent://paid#Intent;end', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['ftp://shop.example', false],
  ['//shop.example/back', false],
  ['/back', false],
  ['shop.example', false],
  ['https://', false],
  ['https:shop.example/p', false],
  ['https://shop.example\\@elsewhere.example/', false],
  ['https://a;frame-ancestors/', false],
  ['https://*.elsewhere.example/', false],
];
for (const [callbackUrl, isTaken] of addresses) {
  test(`a merchant's ${callbackUrl} is ${isTaken ? 'accepted' : 'refused'}`, () => {
    const check = () => checkCallback(none, { callbackUrl }, unlisted, 'merchant');
    if (isTaken) check();
    else refused(check, 'INVALID_REQUEST_PARAMETER', /^callback_url must be an https URL/);
  });
}

test('a merchant token may set any https URL, whether listed or not', () => {
  for (const account of [listed, unlisted]) {
    checkCallback(none, { callbackUrl: elsewhere }, account, 'merchant');
    checkCallback({ callbackUrl: shop }, { callbackUrl: elsewhere }, account, 'merchant');
  }
});

test('an order token may set a URL whose origin is listed, even if the order has another URL', () => {
  for (const before of [none, { callbackUrl: elsewhere }, { callbackUrl: 'shopapp://old' }]) {
    checkCallback(before, { callbackUrl: shop }, listed, 'order');
    checkCallback(before, { callbackUrl: 'https://SHOP.example:443/x' }, listed, 'order');
    checkCallback(before, { callbackUrl: 'http://127.0.0.1:9000/x' }, listed, 'order');
  }
});

const strangers = [
  elsewhere,
  'https://shop.example.evil.example/back',
  'https://shop.example:8443/back',
  'https://www.shop.example/back',
  'http://127.0.0.1:9001/back',
  'http://localhost:9000/back',
];
for (const callbackUrl of strangers) {
  test(`an order token may not set ${callbackUrl}, whose origin is not listed`, () => {
    for (const before of [none, { callbackUrl: shop }]) {
      const check = () => checkCallback(before, { callbackUrl }, listed, 'order');
      refused(check, 'PERMISSION_DENIED', /callback_url/);
    }
  });
}

test('without a list an order token may set the first URL, and not replace it', () => {
  checkCallback(none, { callbackUrl: elsewhere }, unlisted, 'order');
  const check = () =>
    checkCallback({ callbackUrl: shop }, { callbackUrl: elsewhere }, unlisted, 'order');
  refused(check, 'PERMISSION_DENIED', /callback_url/);
});

test('the stored URL may be sent again with any token, even an old one that is not https', () => {
  for (const callbackUrl of [shop, elsewhere, 'shopapp://old']) {
    for (const account of [listed, unlisted]) {
      for (const by of ['merchant', 'order'] as const) {
        const same = { callbackUrl, callbackMode: 'callback_url_post' };
        checkCallback(same, same, account, by);
        checkCallback(same, {}, account, by);
      }
    }
  }
});

test('an order token may change the mode when it may set the URL', () => {
  const post = { callbackMode: 'callback_url_post' };
  checkCallback({ callbackUrl: shop }, post, listed, 'order');
  checkCallback(none, { callbackUrl: shop, ...post }, listed, 'order');
  checkCallback(none, post, unlisted, 'order');
  for (const [before, account] of [
    [{ callbackUrl: elsewhere }, listed],
    [{ callbackUrl: 'shopapp://old' }, listed],
    [{ callbackUrl: shop }, unlisted],
  ] as const) {
    refused(() => checkCallback(before, post, account, 'order'), 'PERMISSION_DENIED', /callback_/);
    checkCallback(before, post, account, 'merchant');
  }
});

test('an invalid URL is an invalid request for any caller', () => {
  for (const by of ['merchant', 'order'] as const) {
    for (const account of [listed, unlisted]) {
      const check = () => checkCallback({ callbackUrl: shop }, { callbackUrl: 'x:y' }, account, by);
      refused(check, 'INVALID_REQUEST_PARAMETER', /^callback_url /);
    }
  }
});

test("the consumer returns to the payment's own URL, or else to the order's", () => {
  const order = { callbackUrl: shop, callbackMode: 'callback_url_post' };
  assert.deepEqual(callbackOf(order, {}), { url: shop, mode: 'post' });
  assert.deepEqual(callbackOf(order, { callbackUrl: elsewhere }), { url: elsewhere, mode: 'post' });
  assert.deepEqual(callbackOf(order, { callbackMode: 'callback_url_redirect' }), {
    url: shop,
    mode: 'redirect',
  });
  assert.equal(callbackOf({}, {}), undefined);
});

test('an unknown mode is treated as a redirect', () => {
  for (const callbackMode of ['redirect', 'popup', 'CALLBACK_URL_POST', '', undefined]) {
    const order = { callbackUrl: shop, ...(callbackMode !== undefined && { callbackMode }) };
    assert.deepEqual(callbackOf(order, {}), { url: shop, mode: 'redirect' });
  }
});

test('a URL that was stored before the rules is used only if a browser can open it', () => {
  for (const callbackUrl of ['shopapp://paid', 'javascript:alert(1)', 'back to us', '']) {
    assert.equal(callbackOf({ callbackUrl }, {}), undefined);
  }
  const plain = 'http://shop.example/back';
  assert.deepEqual(callbackOf({ callbackUrl: plain }, {}), { url: plain, mode: 'redirect' });
});

function refused(check: () => void, code: string, words: RegExp): void {
  assert.throws(check, (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, code);
    assert.match(error.merchantMessage, words);
    return true;
  });
}

test('an order token may set a mode alone while the order has no URL', () => {
  for (const account of [listed, unlisted]) {
    checkCallback(none, { callbackMode: 'callback_url_post' }, account, 'order');
  }
});
