import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, openBrowser } from '../../support/browser.ts';
import { modeOf, startJourney } from '../../support/journey.ts';
import { signatureOf } from '../../support/plugin-signature.ts';
import type { ReturnedPayload } from '../../support/returns.ts';

const { service, simulator, shop, createOrder, initiate, enquire, assertSound } =
  await startJourney();
const shopPage = await startShopPage();
const modes = ['callback_url_redirect', 'callback_url_post'] as const;

for (const [provider, mode] of Object.entries(modeOf)) {
  for (const callback_mode of modes) {
    for (const javaScriptEnabled of [true, false]) {
      test(`a consumer pays at ${provider} and returns to the shop by ${callback_mode}, scripts ${javaScriptEnabled ? 'on' : 'off'}`, {
        skip: noBrowser,
      }, async () => {
        const { page, troubles } = await openPage(javaScriptEnabled);
        const orderId = await createOrder({
          callback_url: `${shopPage.url}/back?a=1`,
          callback_mode,
        });
        const { body } = await initiate(orderId, mode);

        await page.goto(body.next[0].url);
        if (provider === 'partner' && !javaScriptEnabled) await press(page, 'Continue');
        await page.getByText('INR 118.00').waitFor();
        assert.equal(new URL(page.url()).origin, simulator.url);
        await press(page, 'Pay');
        if (provider === 'partner' && !javaScriptEnabled) await press(page, 'Continue');
        await arrive(page, { callback_mode, javaScriptEnabled });

        const payload = shopPage.take(callback_mode);
        assert.equal(payload.status, 'success');
        assert.equal(payload.svc_transaction_id, body.transaction_id);
        assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
        assert.deepEqual(troubles, []);
        await simulator.settled();
        const { order, transaction } = (await enquire({ order_id: orderId })).body;
        assert.equal(order.status, 'completed');
        assert.deepEqual(
          transaction.map((entry: Record<string, unknown>) => entry.svc_transaction_id),
          [body.transaction_id],
        );
        if (provider === 'partner') {
          // Going back to the finished payment redirects to the shop again, with the same result.
          await page.goto(body.next[0].url);
          await page.getByRole('link', { name: 'Back to the shop' }).click();
          await arrive(page, { callback_mode, javaScriptEnabled });
          assert.deepEqual(shopPage.take(callback_mode), payload);
        }
      });
    }
  }
}

for (const callback_mode of modes) {
  for (const javaScriptEnabled of [true, false]) {
    const way = { callback_mode, javaScriptEnabled };
    test(`a consumer waits for a lost webhook and then returns by ${callback_mode}, scripts ${javaScriptEnabled ? 'on' : 'off'}`, {
      skip: noBrowser,
    }, async () => {
      const { page, troubles } = await openPage(javaScriptEnabled);
      const orderId = await createOrder({ callback_url: `${shopPage.url}/back`, callback_mode });
      simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
      const { body } = await initiate(orderId, 'credit_card');
      await page.goto(body.next[0].url);
      // The waiting page may be gone before the test looks at it, so its reply is what counts.
      const waitingPage = page.waitForResponse((response) => response.status() === 202);
      await press(page, 'Pay');
      await waitingPage;
      await arrive(page, way);
      const payload = shopPage.take(callback_mode);
      assert.equal(payload.status, 'success');
      assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
      assert.deepEqual(troubles, []);
    });

    test(`a consumer whose bank does not answer returns after 10 s by ${callback_mode}, scripts ${javaScriptEnabled ? 'on' : 'off'}`, {
      skip: noBrowser,
    }, async () => {
      const { page, troubles } = await openPage(javaScriptEnabled);
      const orderId = await createOrder({ callback_url: `${shopPage.url}/back`, callback_mode });
      const { body } = await initiate(orderId);
      await page.goto(`${body.next[0].url}/return`);
      await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
      service.advanceSeconds(10);
      await arrive(page, way);
      const payload = shopPage.take(callback_mode);
      assert.equal(payload.status, 'pending');
      assert.equal(payload.svc_signature, signatureOf(payload, shop.accessSecret));
      assert.deepEqual(troubles, []);
    });
  }
}

test('a consumer who cannot reach the service for a moment stays on the waiting page', {
  skip: noBrowser,
}, async () => {
  const { page } = await openPage(true);
  const orderId = await createOrder({ callback_url: `${shopPage.url}/back` });
  const { body } = await initiate(orderId);
  await page.goto(`${body.next[0].url}/return`);
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor();
  const failed = page.waitForEvent('requestfailed');
  await page.route('**/return?*', (route) => route.abort('connectionrefused'), { times: 1 });
  await failed;
  await page.waitForResponse('**/return?*');
  assert.ok(await page.getByRole('heading', { name: 'Waiting for your bank' }).isVisible());
  service.advanceSeconds(10);
  await page.getByText('Thank you').waitFor();
  assert.equal(shopPage.take('callback_url_redirect').status, 'pending');
});

test('the launch page calls only the service and the provider', {
  skip: noBrowser,
}, async () => {
  const browser = await openBrowser();
  const { body } = await initiate(await createOrder());
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  await page.goto(body.next[0].url);
  await page.getByRole('button', { name: 'Pay' }).waitFor();
  assert.deepEqual([...new Set(asked)].sort(), [service.baseUrl, simulator.url].sort());
});

test('the invariants hold after all of this', assertSound);

async function openPage(javaScriptEnabled: boolean) {
  const browser = await openBrowser();
  const context = await browser.newContext({
    javaScriptEnabled,
    viewport: { width: 390, height: 844 },
  });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  return { page, troubles };
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name }).click();
}

/** Waits for the shop's page; without scripts it submits the form. */
async function arrive(
  page: Page,
  way: { readonly callback_mode: string; readonly javaScriptEnabled: boolean },
): Promise<void> {
  if (way.callback_mode === 'callback_url_post' && !way.javaScriptEnabled) {
    await press(page, 'Back to the shop');
  }
  await page.getByText('Thank you').waitFor();
  assert.equal(new URL(page.url()).origin, shopPage.url);
}

type Arrival = { readonly method: string; readonly response: string | null };

/** The return page of the shop, on another site than the service and the provider. */
async function startShopPage() {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, reply) => {
    const { searchParams, pathname } = new URL(request.url ?? '', 'http://shop');
    if (pathname === '/back') {
      let body = '';
      for await (const chunk of request) body += chunk;
      const fields = request.method === 'POST' ? new URLSearchParams(body) : searchParams;
      arrivals.push({ method: request.method ?? '', response: fields.get('response') });
    }
    if (request.method === 'POST') {
      reply.writeHead(303, { location: '/thanks' }).end();
      return;
    }
    reply.setHeader('content-type', 'text/html');
    reply.end('<link rel="icon" href="data:,"><p>Thank you</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://localhost:${port}`,
    /** The result that the last visitor brought. */
    take: (callbackMode: string): ReturnedPayload => {
      const [arrival] = arrivals.splice(0);
      assert.equal(arrival?.method, callbackMode === 'callback_url_post' ? 'POST' : 'GET');
      return JSON.parse(Buffer.from(arrival.response ?? '', 'base64').toString('utf8')).payload;
    },
  };
}
