/**
 * Every state of the checkout page in a real browser: in both languages, widths and schemes, with large text, without
 * scripts, with the colours of a shop, and on paper. Contract 14.1 to 14.5.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { languages } from '../../../src/http/checkout/language.ts';
import type { Words } from '../../../src/http/checkout/words/en.ts';
import { noBrowser } from '../../support/browser.ts';
import {
  assertNothingCut,
  layoutShiftOf,
  startCheckoutPages,
} from '../../support/checkout-page.ts';
import { type State, type StateName, stateNames, states } from '../../support/checkout-states.ts';
import { images } from '../../support/images.ts';
import { assertSound } from '../../support/sound-page.ts';

const skip = noBrowser;
const pages = await startCheckoutPages();
const { service, simulator, shopPage } = pages;
const { en } = languages;
// What the page shows while it waits depends on the time, and some of these tests take long.
service.stopClock();
const firstViewBytesMax = 30 * 1024;

/** Each language, width and scheme once. CHECKOUT_LOOKS=all adds looks for each pair of them. */
const [few, others] = [
  [
    [languages.en, 390, 'light'],
    [languages.hi, 1280, 'dark'],
  ],
  [
    [languages.en, 1280, 'light'],
    [languages.hi, 390, 'dark'],
    [languages.en, 390, 'dark'],
    [languages.hi, 1280, 'light'],
  ],
] as const;
const looks = process.env.CHECKOUT_LOOKS === 'all' ? [...few, ...others] : few;
for (const name of stateNames) {
  const state: State = states[name];
  test(`${name}: in every look axe finds nothing, nothing moves, and nothing is cut off`, {
    skip,
  }, async () => {
    const { page, troubles, asked } = await openState(name);
    for (const [words, width, colorScheme] of looks) {
      await switchTo(page, words);
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      await page.reload();
      await assertShows(page, state, words);
      assert.equal(await layoutShiftOf(page), 0);
      const bytes = await firstViewBytesOf(page);
      assert.ok(bytes > 0 && bytes <= firstViewBytesMax, `${bytes} bytes`);
      await assertSound(page);
      await page.evaluate(`document.documentElement.style.fontSize = '32px'`);
      await assertNothingCut(page);
    }
    assert.deepEqual([...new Set(asked)], [service.baseUrl]);
    // The browser itself reports the status of the page.
    const others = troubles.filter((text) => !text.includes(`a status of ${state.status} `));
    assert.deepEqual(others, []);
  });
}

/** What a consumer without scripts does next. */
const goOn: Record<StateName, (page: Page) => Promise<void>> = {
  choose: (page) => payByUpi(page),
  'bank picker': async (page) => {
    await page.getByLabel('HDFC Bank', { exact: true }).check();
    await payAndContinue(page);
  },
  waiting: async (page) => {
    await page.getByRole('link', { name: en.waiting.refresh }).click();
    await page.getByRole('heading', { name: en.waiting.heading }).waitFor();
    await page.getByRole('link', { name: en.waiting.continue }).click();
    await continueToProvider(page);
  },
  'slow bank': async (page) => {
    await page.getByRole('link', { name: en.waiting.openAgain }).click();
    await continueToProvider(page);
  },
  'UPI code': async (page) => {
    const app = await page.getByRole('link', { name: en.upi.openApp }).getAttribute('href');
    assert.ok(app?.startsWith(simulator.url), app ?? '');
    await page.getByRole('button', { name: en.waiting.another }).click();
    await page.getByRole('heading', { name: en.choose.heading }).waitFor();
  },
  paid: (page) => returnWith(page, 'success'),
  failed: (page) => payByUpi(page),
  'failed for good': async (page) => {
    assert.equal(await page.getByRole('button').count(), 0, 'no other way to pay is offered');
    await returnWith(page, 'failed');
  },
  expired: async (page) => {
    await page.getByRole('link', { name: en.back.toShop }).click();
    await page.waitForURL(`${shopPage.url}/`);
  },
  checking: (page) => returnWith(page, 'pending'),
  'too late': (page) => returnWith(page, 'pending'),
  'already paid': (page) => returnWith(page, 'success'),
  // The service does not know the shop here, so it can only tell the consumer to go back there.
  'bad token': (page) => page.getByText(en.errors.signedOutText).waitFor(),
};
for (const name of stateNames) {
  test(`${name}: without scripts the page is complete and the consumer can go on`, {
    skip,
  }, async () => {
    const { page, troubles } = await openState(name, false);
    const state: State = states[name];
    await assertShows(page, state, en);
    await goOn[name](page);
    const others = troubles.filter((text) => !text.includes(`a status of ${state.status} `));
    assert.deepEqual(others, []);
  });
}

for (const colour of ['#ffcc00', '#808080', '#0a0a0a', '#ffffff']) {
  test(`a shop of the colour ${colour} has its name, logo and colour, and all text can be read`, {
    skip,
  }, async () => {
    const order = await pages.createAtShop({
      name: 'Chai & Co',
      colour,
      logo: images.png,
      supportEmail: 'help@chai.example',
    });
    const { page, troubles } = await pages.openOrder(order);
    await page.locator('.shop').getByText('Chai & Co').waitFor();
    assert.equal(
      await page.locator('.logo').evaluate((logo) => Reflect.get(logo, 'naturalWidth')),
      3,
    );
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      assert.equal(await styleOf(page, 'button', 'backgroundColor'), rgbOf(colour));
      await assertSound(page);
    }
    assert.equal(await layoutShiftOf(page), 0);
    assert.deepEqual(troubles, []);
  });
}

test('printed, the paid page is the receipt on one sheet, black on white', { skip }, async () => {
  const { page, reached } = await openState('paid');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const { body } = await pages.enquire({ order_id: reached.orderId });
  const [payment] = body.transaction;
  const receipt = [body.order.invoice_id, payment.svc_transaction_id, '₹118.00', 'Test shop'];
  for (const text of receipt) {
    assert.ok(await page.getByText(text).first().isVisible(), text);
  }
  const time = page.locator('time');
  assert.ok(await time.isVisible());
  assert.match((await time.textContent()) ?? '', new RegExp(`${new Date().getFullYear()}`));
  for (const hidden of await page.locator('button, .button, .languages, [data-return]').all()) {
    assert.equal(await hidden.isVisible(), false);
  }
  assert.equal(await styleOf(page, 'body', 'color'), 'rgb(0, 0, 0)');
  assert.equal(await styleOf(page, 'body', 'backgroundColor'), 'rgb(255, 255, 255)');
  const document = (await page.pdf({ format: 'A4' })).toString('latin1');
  assert.equal(document.match(/\/Type \/Page\b/g)?.length, 1);
});

/** Without scripts the consumer moves on; with scripts the page stays for as long as the test looks at it. */
async function openState(name: StateName, javaScriptEnabled = true) {
  const reached: Awaited<ReturnType<State['reach']>> = await states[name].reach(pages);
  const opened = await pages.openOrder(reached, { javaScriptEnabled });
  const { page } = opened;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  if (javaScriptEnabled) {
    // A reply without content keeps the page, which would leave for the shop after 5 seconds.
    await page.route('**/return?to=shop', (route) => route.fulfill({ status: 204 }));
  }
  await page.goto(`${service.baseUrl}${reached.path ?? `/checkout/${reached.orderId}`}`);
  return { ...opened, reached, asked };
}

/** By the switch of the page, which keeps the state, or by the cookie where the page has no switch. */
async function switchTo(page: Page, words: Words): Promise<void> {
  const link = page.getByRole('link', { name: words.language });
  const before = page.url();
  if (await link.isVisible()) await link.click();
  else {
    const value = words === en ? 'en' : 'hi';
    await page.context().addCookies([{ name: 'language', value, url: service.baseUrl }]);
  }
  await page.reload();
  assert.equal(page.url(), before);
}

async function assertShows(page: Page, state: State, words: Words): Promise<void> {
  await state.prepare?.(page, words);
  assert.equal(await page.locator('h1').textContent(), state.heading(words));
  assert.equal(await page.locator('html').getAttribute('lang'), words.locale);
  if (state.says) await page.getByText(state.says(words)).first().waitFor();
}

/** What the browser has transferred for the page and all that belongs to it. */
function firstViewBytesOf(page: Page): Promise<number> {
  return page.evaluate<number>(`['navigation', 'resource']
    .flatMap((type) => performance.getEntriesByType(type))
    .reduce((sum, { transferSize }) => sum + transferSize, 0)`);
}

async function payByUpi(page: Page): Promise<void> {
  await page.getByLabel('UPI').first().check();
  await payAndContinue(page);
}

async function payAndContinue(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pay ₹118.00' }).click();
  await continueToProvider(page);
}

async function continueToProvider(page: Page): Promise<void> {
  await page.getByRole('button', { name: en.launch.continue }).click();
  await page.getByText('INR 118.00').waitFor();
  assert.equal(new URL(page.url()).origin, simulator.url);
}

async function returnWith(page: Page, status: string): Promise<void> {
  await page.getByRole('link', { name: en.back.toShop }).click();
  await page.getByText('Thank you for your order').waitFor();
  assert.equal(shopPage.take().status, status);
}

function styleOf(page: Page, selector: string, property: string): Promise<string> {
  return page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
}

function rgbOf(colour: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return `rgb(${channels.join(', ')})`;
}
