import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser, openBrowser } from '../../support/browser.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();

test('the docs page shows every call and requests only this service', {
  skip: noBrowser,
}, async () => {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const asked: string[] = [];
  const troubles: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => troubles.push(error.message));

  await page.goto(`${service.baseUrl}/docs`);
  await page.getByText('Create an order for an invoice').first().waitFor();
  await page.getByText('Exchange an access key and secret').first().waitFor();

  assert.deepEqual(troubles, []);
  const strangers = asked.filter(
    (url) => !/^(data|blob):/.test(url) && !url.startsWith(service.baseUrl),
  );
  assert.deepEqual(strangers, []);
});

test('on a phone in dark mode the page is dark and not wider than the screen', {
  skip: noBrowser,
}, async () => {
  const browser = await openBrowser();
  const viewport = { width: 390, height: 844 };
  const page = await browser.newPage({ viewport, colorScheme: 'dark' });
  await page.goto(`${service.baseUrl}/docs/`);
  await page.getByText('The flow of a payment').first().waitFor();
  const { width, background } = await page.evaluate<{ width: number; background: string }>(
    `({ width: document.documentElement.scrollWidth, background: getComputedStyle(document.body).backgroundColor })`,
  );
  assert.equal(width, 390);
  const [red = 255] = (background.match(/[\d.]+/g) ?? []).map(Number);
  assert.ok(red < 64, background);
});
