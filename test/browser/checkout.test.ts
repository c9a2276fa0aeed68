import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { noBrowser, openBrowser } from '../support/browser.ts';
import { modeOf, startJourney } from '../support/journey.ts';

const { service, simulator, createOrder, initiate, enquire, assertSound } = await startJourney();
const shopUrl = await startShopPage();

for (const [provider, mode] of Object.entries(modeOf)) {
  for (const javaScriptEnabled of [true, false]) {
    test(`a consumer pays at ${provider} and is back at the shop, scripts ${javaScriptEnabled ? 'on' : 'off'}`, {
      skip: noBrowser,
    }, async () => {
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
      const orderId = await createOrder({ callback_url: `${shopUrl}/back` });
      const { body } = await initiate(orderId, mode);

      await page.goto(body.next[0].url);
      if (provider === 'partner' && !javaScriptEnabled) {
        await page.getByRole('button', { name: 'Continue' }).click();
      }
      await page.getByText('INR 118.00').waitFor();
      assert.equal(new URL(page.url()).origin, simulator.url);
      await page.getByRole('button', { name: 'Pay' }).click();
      await page.getByText('Thank you').waitFor();

      assert.ok(page.url().startsWith(`${shopUrl}/back`), page.url());
      assert.deepEqual(troubles, []);
      await simulator.settled();
      const { order, transaction } = (await enquire({ order_id: orderId })).body;
      assert.equal(order.status, 'completed');
      assert.deepEqual(
        transaction.map((entry: Record<string, unknown>) => entry.svc_transaction_id),
        [body.transaction_id],
      );
      if (provider === 'partner') {
        // Going back to what is over leads to the shop again.
        await page.goto(body.next[0].url);
        await page.getByRole('link', { name: 'Back to the shop' }).click();
        await page.getByText('Thank you').waitFor();
      }
    });
  }
}

test('the launch page asks nobody but the service and the provider', {
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

/** Where the shop greets those who come back. */
async function startShopPage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<link rel="icon" href="data:,"><p>Thank you</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return `http://127.0.0.1:${port}`;
}
