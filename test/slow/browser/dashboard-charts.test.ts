/** The charts of the overview in a real browser, and how much the first visit loads. Contract 13.7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { noBrowser } from '../../support/browser.ts';
import { password } from '../../support/dashboard.ts';
import { assertSound, dashboardPages, setPassword } from '../../support/dashboard-page.ts';
import { changeOrder, makeOrder } from '../../support/figure-orders.ts';
import { startTestService } from '../../support/test-service.ts';

const skip = noBrowser;
const service = await startTestService({ port: await findFreePort() });
const shop = await service.createAccount({ name: 'Tea shop' });
const { site, openAs, openPage, openInvitation } = dashboardPages(service, shop.accountId);
for (const [mode, status, currency] of [
  ['UPI', 'succeeded', 'INR'],
  ['UPI', 'succeeded', 'INR'],
  ['Wallet', 'failed', 'INR'],
  ['Wallet', 'succeeded', 'USD'],
] as const) {
  const createdAt = new Date();
  const usual = { provider: 'partner', failure: null, amount: 11_800 };
  const amounts = { currency, total: 11_800, tax: 0, beforeTax: 11_800 };
  const order = await makeOrder(service.database, {
    accountId: shop.accountId,
    createdAt,
    amounts,
  });
  await changeOrder(service.database, order, {
    status: 'completed',
    at: createdAt,
    transactions: [{ type: 'payment', status, mode, currency, ...usual }],
  });
}

test('volume, success and modes are drawn, said and listed, in the colours of either scheme', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('viewer', '/');
  await chartOf(page, 'Volume').locator('canvas').waitFor();
  await assertSound(page);
  // The newest bar is the last of seven.
  const box = await chartOf(page, 'Volume').locator('.u-over').boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + (box.width * 6.2) / 7, box.y + box.height / 2);
  await chartOf(page, 'Volume').getByText('₹236.00').waitFor();
  const modes = page.getByRole('figure').filter({ hasText: 'Payments by mode' });
  await modes.getByRole('listitem').filter({ hasText: 'UPI' }).getByText('100%').waitFor();
  const behind = await modes
    .getByRole('link', { name: 'UPI: 2 payments in INR' })
    .getAttribute('href');
  assert.match(behind ?? '', /orders\?.*currency=INR&payment_status=succeeded&mode=UPI$/);
  await page.getByText('Show as table').click();
  const table = page.getByRole('table', { name: 'Payments over time' });
  const today = table.getByRole('row').last();
  assert.deepEqual((await today.getByRole('cell').allTextContents()).slice(-4), [
    '₹236.00',
    '2',
    '1',
    '66.7%',
  ]);
  assert.equal(await table.getByRole('row').count(), 8);

  const light = await barColour(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await waitUntil('the bars are dark', async () => (await barColour(page)) !== light);
  await page.setViewportSize({ width: 390, height: 844 });
  await waitUntil('the chart is as narrow as the screen', () =>
    page.evaluate<boolean>(`document.querySelector('.chart canvas').clientWidth < 360`),
  );
  await assertSound(page);

  await page.getByLabel('Currency').selectOption('USD');
  await today.getByText('$118.00').waitFor();
  assert.equal(page.url(), `${site}/dashboard/?currency=USD`);
  assert.deepEqual(troubles, []);
});

test('signing in and the overview with its charts load less than 100 KiB', { skip }, async () => {
  const { page: invited, email } = await openInvitation('owner');
  await setPassword(invited);
  const { page, troubles } = await openPage();
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    const measured = request.sizes();
    sizes.push(measured.then((size) => size.responseBodySize + size.responseHeadersSize));
  });
  await page.goto(`${site}/dashboard/`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Created' }).waitFor();
  await chartOf(page, 'Volume').locator('canvas').waitFor();
  const transferred = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  assert.ok(transferred > 20_000, `${transferred} bytes are too few to be all`);
  assert.ok(transferred < 100 * 1_024, `${transferred} bytes`);
  assert.deepEqual(troubles, []);
});

function chartOf(page: Page, title: string) {
  return page.getByRole('figure').filter({ hasText: title });
}

/** The colour of the newest bar, which is the last of seven, near its foot. */
const colourAtBar = `() => {
  const canvas = document.querySelector('.chart canvas');
  const over = document.querySelector('.chart .u-over');
  const scale = canvas.width / canvas.clientWidth;
  const x = (over.offsetLeft + (over.clientWidth * 6.4) / 7) * scale;
  const y = (over.offsetTop + over.clientHeight - 5) * scale;
  return [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].join(' ');
}`;

async function barColour(page: Page): Promise<string> {
  const colour = await page.evaluate<string>(`(${colourAtBar})()`);
  assert.match(colour, / 255$/, 'the bar is drawn there');
  return colour;
}
