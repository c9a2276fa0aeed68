/** The simulator's page of the shop in a real browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSimulator } from '../../../simulator/simulator.ts';
import { noBrowser, openBrowser } from '../../support/browser.ts';
import { newSecret, sendEvent, shopEvent } from '../../support/shop-requests.ts';

const simulator = await startSimulator();
after(() => simulator.close());
const secret = newSecret();
const send = (number: number) =>
  sendEvent(
    simulator.shop.url,
    secret,
    shopEvent({ event_id: `evt_${number}`, sequence: number, event_type: `type_${number}` }),
  );

test('the page takes the secret and the answer, and shows events as they come', {
  skip: noBrowser,
}, async () => {
  const { page, troubles, asked } = await openShop();
  await page.getByText('None yet.').waitFor();
  await send(1);
  const row = page.locator('.event', { hasText: 'type_1' });
  await row.getByText('secret unknown').waitFor();
  assert.equal(await page.getByText('None yet.').isVisible(), false);

  await page.getByLabel('Secret').fill(secret);
  await page.getByRole('button', { name: 'Use this secret' }).click();
  await row.getByText('verified', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Hang' }).waitFor();
  await page.getByRole('button', { name: '500 error' }).click();
  await page.getByText('The shop fails.').waitFor();
  assert.equal((await send(1)).status, 500);
  await row.getByText('2 attempts → 500').waitFor();
  assert.deepEqual(troubles, []);
  assert.deepEqual([...new Set(asked)], [simulator.url]);
});

test('what is read, open or typed stays where it is when events come', {
  skip: noBrowser,
}, async () => {
  for (let number = 2; number <= 40; number += 1) await send(number);
  const { page, troubles } = await openShop();
  const read = page.locator('.event', { hasText: 'type_20' });
  await read.locator('summary').click();
  await page.getByText('Connect an endpoint').click();
  await page.getByLabel('Secret').fill('whsec_half-typed');
  await read.scrollIntoViewIfNeeded();
  const topBefore = (await read.boundingBox())?.y ?? 0;

  for (let number = 41; number <= 43; number += 1) await send(number);
  // A repeat of the first event moves it to the top.
  await send(1);
  await page.locator('.event').first().getByText('3 attempts').waitFor({ state: 'attached' });
  const top = (await read.boundingBox())?.y ?? 0;
  assert.ok(Math.abs(top - topBefore) < 1, `moved from ${topBefore} to ${top}`);
  assert.equal(await read.getAttribute('open'), '');
  assert.equal(await page.getByLabel('Secret').inputValue(), 'whsec_half-typed');
  assert.equal(await page.locator('.event').count(), 43);
  assert.deepEqual(troubles, []);
});

test('on a phone the page is not wider than the screen, with long values, too', {
  skip: noBrowser,
}, async () => {
  const long = 'x'.repeat(300);
  const order = { invoice_id: long };
  await sendEvent(
    simulator.shop.url,
    secret,
    shopEvent({ event_id: long, event_type: long, status: long, message: long, order }),
  );
  const { page } = await openShop();
  await page.locator('.event summary').first().click();
  await page.getByText('Received').first().waitFor();
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
});

async function openShop() {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const troubles: string[] = [];
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  await page.goto(`${simulator.url}/shop`);
  return { page, troubles, asked };
}
