/** Cross-origin calls of a shop's page in a real browser with web security on. Contract 2.11. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, openBrowser } from '../../support/browser.ts';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';

const { service, shop } = await startJourney();
const origin = await startShopPage();

type Answer = {
  readonly status: number;
  readonly requestId: string | null;
  readonly body: unknown;
};

test('a page of the shop makes every call of an order token, and reads errors too', {
  skip: noBrowser,
}, async () => {
  const order = await create();
  const page = await openPage();
  const { token, refresh_token } = order;
  // The first call of a checkout library: it leaves order_id to the token.
  const callback = { merchant_shopfront_domain: origin };
  const first = await ask(page, 'PATCH', 'order', token, callback);
  assert.deepEqual([first.status, typeof first.requestId], [200, 'string']);
  assert.equal((await ask(page, 'GET', 'order', token)).status, 200);
  assert.equal((await ask(page, 'POST', 'payment-modes', token, {})).status, 200);
  assert.equal((await ask(page, 'POST', 'transaction-enquiry', token, {})).status, 200);
  const payment = { payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  assert.equal((await ask(page, 'POST', 'initiate-payment', token, payment)).status, 200);
  const user = { mobile_number: '9876543210' };
  assert.equal((await ask(page, 'POST', 'resolve-user', token, user)).status, 200);
  const refreshed = await ask(page, 'POST', 'refresh-token', undefined, { refresh_token });
  assert.equal(refreshed.status, 200);
  assert.equal(
    (await ask(page, 'POST', 'update-order', token, {})).status,
    403,
    'restricted by now',
  );
  assert.equal((await ask(page, 'GET', 'order', 'forged')).status, 401);
});

test("the browser blocks the page's calls to the routes of merchants and providers", {
  skip: noBrowser,
}, async () => {
  const page = await openPage();
  const { token } = await create();
  for (const path of ['create-order', 'refund', 'generate-token', 'webhooks/partner']) {
    await assert.rejects(ask(page, 'POST', path, token, {}), /Failed to fetch/, path);
  }
  const { body } = await service.call('/openapi.json');
  assert.ok(body.openapi, 'it is there');
  await assert.rejects(
    page.evaluate((url) => fetch(url).then(() => undefined), `${service.baseUrl}/openapi.json`),
    /Failed to fetch/,
  );
});

async function create() {
  const reply = await service.call('/api/v3/create-order', {
    token: shop.token,
    body: orderBody(),
  });
  assert.equal(reply.status, 200);
  return reply.body;
}

async function openPage(): Promise<Page> {
  const page = await (await openBrowser()).newPage();
  await page.goto(origin);
  return page;
}

function ask(
  page: Page,
  method: string,
  path: string,
  token: string | undefined,
  body?: object,
): Promise<Answer> {
  const url = `${service.baseUrl}/api/v3/${path}`;
  return page.evaluate(
    async (call) => {
      const response = await fetch(call.url, {
        method: call.method,
        headers: {
          'content-type': 'application/json',
          ...(call.token !== undefined && { authorization: `Bearer ${call.token}` }),
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      });
      const requestId = response.headers.get('x-request-id');
      return { status: response.status, requestId, body: await response.json() };
    },
    { url, method, token, body },
  );
}

/** A shop on its own origin: another port is another origin. */
async function startShopPage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const { port } = server.address() as { port: number };
  return `http://127.0.0.1:${port}`;
}
