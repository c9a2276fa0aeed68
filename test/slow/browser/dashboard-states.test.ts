/**
 * What must not disturb people at work: a session that ends, a lost connection, another tab, a refresh, the way back.
 * Contract 13.1 and 13.2.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { commandLine } from '../../../src/domain/audit.ts';
import { inviteUser } from '../../../src/use-cases/users/invite-user.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { noBrowser } from '../../support/browser.ts';
import { join, password } from '../../support/dashboard.ts';
import { assertSound, dashboardPages, setPassword } from '../../support/dashboard-page.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { images } from '../../support/images.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const skip = noBrowser;
const service = await startTestService({ port: await findFreePort() });
const shop = await service.createAccount({ name: 'Tea shop' });
const other = await service.createAccount({ name: 'Coffee shop' });
const { site, openAs, openPage, openInvitation } = dashboardPages(service, shop.accountId);
await create({ invoice_id: 'PAID-1' });
await pay();
// Ids begin with the second, so it is the oldest for certain.
service.advanceSeconds(1);
for (let number = 1; number <= 40; number += 1) await create({ invoice_id: `TEA-${number}` });

test('after a session has ended, the same user goes on with what was typed, and another one does not', {
  skip,
}, async () => {
  const { page } = await openOwnerOfBoth();
  await page.clock.install();
  await page.getByRole('link', { name: 'Settings' }).click();
  const phone = page.getByLabel('Support phone');
  await phone.fill('half typed');
  await page.getByRole('button', { name: 'Show secret' }).first().click();
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await question.waitFor();
  await endSession(page);
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByText('Your session has ended').waitFor();
  await question.waitFor({ state: 'detached' });
  await assertSound(page);
  let calls = 0;
  page.on('request', () => {
    calls += 1;
  });
  for (let count = 0; count < 3; count += 1) await page.keyboard.press('Escape');
  await page.clock.fastForward(60_000);
  assert.ok(await dialog.isVisible());
  assert.equal(calls, 0, 'nobody is signed in, so nothing is polled');
  // The address is known, so the password has the focus.
  await page.keyboard.type(password);
  const refreshed = page.waitForRequest(/api\/settings/);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await refreshed;
  assert.equal(await phone.inputValue(), 'half typed');
  // A new session begins in the coffee shop.
  await accountName(page, 'Tea shop').waitFor();

  const { email } = await join(service, other.accountId, 'owner');
  await endSession(page);
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('This is Coffee shop.').waitFor();
  assert.equal(await phone.inputValue(), '');
});

test('a page that is opened without a connection tries again, and a lost one is found again', {
  skip,
}, async () => {
  const { page: invited } = await openInvitation('viewer');
  await setPassword(invited);
  const page = await invited.context().newPage();
  await page.route('**/api/visit', (route) => route.abort());
  await page.goto(`${site}/dashboard/team`);
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  await assertSound(page);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.unroute('**/api/visit');
  await page.evaluate("dispatchEvent(new Event('online'))");
  await page.getByRole('table').waitFor();

  await page.context().setOffline(true);
  const banner = page.getByText('No connection. What you see may be out of date');
  await banner.waitFor();
  const soon = page.waitForRequest(/api\/team/, { timeout: 4_000 });
  await page.context().setOffline(false);
  await soon;
  await banner.waitFor({ state: 'detached' });
});

test('another account in one tab is the account of all, and a page of the former one changes nothing', {
  skip,
}, async () => {
  const { page: first } = await openOwnerOfBoth();
  const second = await first.context().newPage();
  await second.goto(`${site}/dashboard/orders`);
  await second.getByRole('link', { name: 'TEA-40' }).click();
  await second.getByRole('heading', { name: 'Order TEA-40' }).waitFor();
  await switchTo(first, 'Coffee shop');
  await second.getByText('This is Coffee shop.').waitFor();
  await second.getByText('No orders match').waitFor();
  assert.equal(second.url(), `${site}/dashboard/orders`, 'the order belongs to the former account');

  await second.getByRole('link', { name: 'Settings' }).click();
  await second.getByLabel('Support email').fill('coffee@shop.example');
  // The second tab does not learn of the switch.
  await second.route('**/api/visit', (route) => route.abort());
  await switchTo(first, 'Tea shop');
  const form = second.getByRole('form', { name: 'Checkout branding' });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('You work in Tea shop now').waitFor();
  const stored = await service.services.accounts.readAgain(shop.accountId);
  assert.equal(stored?.supportEmail, null);
});

test('the way back leads to the same place; titles and focus follow the page', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('viewer', '/orders');
  const link = page.getByRole('link', { name: 'PAID-1' });
  await link.scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate<number>('scrollY');
  assert.ok(scrolled > 300, String(scrolled));
  await link.click();
  await announced(page, 'Order PAID-1').waitFor();
  assert.deepEqual(await page.evaluate('[document.activeElement.id, document.title, scrollY]'), [
    'content',
    'Order PAID-1 · Payments',
    0,
  ]);

  // Only the first payment is open at first, and another one becomes the first.
  await page.locator('.order-payment details[open]').waitFor();
  await pay();
  await page.locator('.order-payment').nth(1).waitFor();
  assert.equal(await page.locator('.order-payment details[open]').count(), 2);

  await page.goBack();
  await waitUntil('the place is found again', async () => {
    return (await page.evaluate('scrollY')) === scrolled;
  });
  assert.deepEqual(await page.evaluate('[document.activeElement.id, document.title]'), [
    'content',
    'Orders · Payments',
  ]);
  await page.waitForResponse(/api\/orders/);
  assert.equal(await page.evaluate('scrollY'), scrolled, 'a refresh does not move it');
  await page.evaluate("history.pushState(null, '', '/dashboard/orders/%E0')");
  // One after the other: a step back that is still under way would swallow the step forward.
  await page.goBack();
  await page.goForward();
  await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor();
  assert.deepEqual(troubles, []);
});

test('a search keeps the focus, and what it finds is said, unlike a refresh', {
  skip,
}, async () => {
  const { page } = await openAs('viewer', '/orders');
  await page.getByRole('link', { name: 'TEA-40' }).waitFor();
  await page.getByLabel('Search').fill('PAID-1');
  await page.keyboard.press('Enter');
  await announced(page, '1 order').waitFor();
  assert.equal(await page.evaluate('document.activeElement.name'), 'text');
  await page.getByRole('link', { name: 'All orders' }).click();
  await announced(page, '41 orders').waitFor();
  assert.equal(await page.getByLabel('Search').inputValue(), '');
  await create({ invoice_id: 'TEA-NEW' });
  await page.getByRole('link', { name: 'TEA-NEW' }).waitFor();
  assert.equal(await announced(page, '41 orders').count(), 1);
  await page.getByLabel('Status').focus();
  await page.getByLabel('Status').selectOption('completed');
  await announced(page, '1 order').waitFor();
  assert.equal(await page.evaluate('document.activeElement.name'), 'status');
});

test('a form that was saved keeps what is typed next', { skip }, async () => {
  const { page } = await openAs('owner', '/settings');
  const { send } = await join(service, shop.accountId, 'owner');
  const form = page.getByRole('form', { name: 'Checkout branding' });
  const file = { name: 'logo.png', mimeType: 'image/png', buffer: images.png };
  await form.getByLabel('Logo').setInputFiles(file);
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await form.getByLabel('Support phone').fill('half typed');
  await send('PATCH', '/settings', { support_url: 'https://shop.example/help' });
  await waitUntil('the page shows what somebody else has changed', async () => {
    return (await form.getByLabel('Support page').inputValue()) === 'https://shop.example/help';
  });
  assert.equal(await form.getByLabel('Support phone').inputValue(), 'half typed');
});

test('the menu of the account closes by Escape and by a click elsewhere; arrows move in it', {
  skip,
}, async () => {
  const { page } = await openAs('viewer', '/team');
  const choice = page.getByRole('link', { name: 'Your sessions' });
  await page.locator('.account summary').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Your sessions');
  await page.keyboard.press('Escape');
  assert.equal(await choice.isVisible(), false);
  assert.equal(await page.evaluate('document.activeElement.localName'), 'summary');
  await page.keyboard.press('Enter');
  await choice.waitFor();
  await page.getByRole('heading', { name: 'Team' }).click();
  assert.equal(await choice.isVisible(), false);
});

test('what the browser refuses or breaks is said in plain words', { skip }, async () => {
  const { page: visitor, troubles } = await openPage();
  await visitor.goto(`${site}/dashboard/`);
  await visitor.getByLabel('Email').waitFor();
  await visitor.evaluate(
    "PublicKeyCredential.parseRequestOptionsFromJSON = () => { throw new TypeError('raw words') }",
  );
  await visitor.getByRole('button', { name: 'Use a passkey' }).click();
  await visitor.getByText('Something went wrong on this page').waitFor();
  assert.equal(await visitor.getByText('raw words').count(), 0);
  assert.match(troubles.join(), /raw words/, 'developers find it');

  const { page } = await openAs('viewer', '/orders');
  await page.getByRole('link', { name: 'TEA-40' }).click();
  const copy = page.getByRole('button', { name: 'Copy order ID' });
  await copy.waitFor();
  await page.evaluate(
    "navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))",
  );
  await copy.click();
  await page.getByText('The text is selected').waitFor();
  assert.match(await page.evaluate<string>('String(getSelection())'), /^o_\w+$/);
});

/** A page of a user who owns both accounts, in the tea shop. */
async function openOwnerOfBoth() {
  const opened = await openInvitation('owner');
  await setPassword(opened.page);
  const { link } = await inviteUser(service.services, commandLine, {
    accountId: other.accountId,
    email: opened.email,
    role: 'owner',
  });
  const token = link.slice(link.lastIndexOf('/') + 1);
  const joined = await opened.page.request.post(`${site}/dashboard/api/invitation/${token}/join`, {
    headers: { origin: site },
    data: {},
  });
  assert.equal(joined.status(), 200);
  const first = await opened.page.request.post(`${site}/dashboard/api/account`, {
    headers: { origin: site },
    data: { account_id: shop.accountId },
  });
  assert.equal(first.status(), 200);
  await opened.page.reload();
  await accountName(opened.page, 'Tea shop').waitFor();
  return opened;
}

async function switchTo(page: Page, name: string): Promise<void> {
  await page.locator('.account summary').click();
  await page.getByRole('button', { name: `Switch to ${name}` }).click();
  await accountName(page, name).waitFor();
}

function accountName(page: Page, name: string) {
  return page.locator('.account-name').getByText(name);
}

/** The next refresh is answered 401. */
async function endSession(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.clock.fastForward(5_000);
}

function announced(page: Page, text: string) {
  return page.getByRole('status').getByText(text, { exact: true });
}

/** The first order, once more. */
async function pay(): Promise<void> {
  const payment = partnerPayment({ amount: 11_800, notes: { invoice_id: 'PAID-1' } });
  await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
}

async function create(changes: Record<string, unknown>): Promise<void> {
  const reply = await service.call('/api/v3/create-order', {
    token: shop.token,
    body: orderBody(changes),
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}
