/** The dashboard in a real browser: invitations, signing in and out, the team, sessions and the audit log. Contract 13. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { commandLine } from '../../../src/domain/audit.ts';
import { inviteUser } from '../../../src/use-cases/users/invite-user.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { noBrowser } from '../../support/browser.ts';
import { newEmail, password } from '../../support/dashboard.ts';
import {
  addAuthenticator,
  assertSound,
  dashboardPages,
  setPassword,
} from '../../support/dashboard-page.ts';
import { startTestService } from '../../support/test-service.ts';

const skip = noBrowser;
const service = await startTestService({ port: await findFreePort() });
const { accountId } = await service.createAccount({ name: 'Tea shop' });
const { site, openPage, openInvitation, invite } = dashboardPages(service, accountId);

test('a link sets a password, and the session shows the account', { skip }, async () => {
  const { page, troubles, email } = await openInvitation('owner');
  await page.getByRole('heading', { name: 'Welcome to Tea shop' }).waitFor();
  await page.getByText(`${email} joins the account Tea shop as owner.`).waitFor();
  await assertSound(page);
  await page.getByLabel('Password').fill('too short');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('.account').getByText(email).waitFor();
  assert.equal(page.url(), `${site}/dashboard/`);
  assert.deepEqual(troubles, []);
});

test('a used link says so', { skip }, async () => {
  const { page, link } = await openInvitation('viewer');
  await setPassword(page);
  await page.goto(link);
  await page.getByText('Not found').waitFor();
  await assertSound(page);
});

test('a passkey instead of a password, and signing in with it again', { skip }, async () => {
  const { link, email } = await invite('viewer');
  const { page } = await openPage();
  await addAuthenticator(page);
  await page.goto(link);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText(email).waitFor();
  await signOut(page);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText(email).waitFor();
});

test('a link for a user names the account and the address, and only they can join', {
  skip,
}, async () => {
  const { page, email } = await openInvitation('viewer');
  await setPassword(page);
  const { accountId: second } = await service.createAccount({ name: 'Coffee shop' });
  const { link } = await inviteUser(service.services, commandLine, {
    accountId: second,
    email,
    role: 'operator',
  });
  const other = await openInvitation('viewer');
  await setPassword(other.page);
  await other.page.goto(link);
  await other.page.getByText(`You are signed in as ${other.email}.`).waitFor();
  await other.page.getByRole('button', { name: 'Sign out' }).click();
  // The page does not say whether the address has a user.
  await other.page.getByLabel('Password').fill(password);
  await other.page.getByRole('button', { name: 'Set the password' }).click();
  await other.page.getByText('There is a user with this e-mail address').waitFor();
  await other.page.getByRole('button', { name: 'Sign in to join' }).focus();
  await other.page.keyboard.press('Enter');
  await other.page.getByText(`Sign in as ${email} to join Coffee shop.`).waitFor();
  await assertSound(other.page);
  await page.goto(link);
  await page.getByText(`${email} joins the account Coffee shop as operator.`).waitFor();
  await page.getByRole('button', { name: 'Join' }).click();
  await page.locator('.account').getByText('Coffee shop').waitFor();
});

test('a wrong password is refused, and the right one signs in', { skip }, async () => {
  const { page, email } = await openInvitation('viewer');
  await setPassword(page);
  await signOut(page);
  await assertSound(page);
  await signIn(page, email, 'wrong password!');
  await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
  await signIn(page, email);
  await page.locator('.account').getByText(email).waitFor();
});

test('a session that ends leads back to the same page', { skip }, async () => {
  const { page, email } = await openInvitation('viewer');
  await setPassword(page);
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await page.context().clearCookies();
  await page.getByText('Your session has ended').waitFor();
  await signIn(page, email);
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
});

test('an owner invites, changes a role and removes; the audit log says who', { skip }, async () => {
  const { page, email, troubles } = await openInvitation('owner');
  await setPassword(page);
  await page.getByRole('link', { name: 'Team' }).click();
  const invited = newEmail();
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByLabel('Email').fill(invited);
  await page.getByRole('dialog').getByLabel('Role').selectOption('operator');
  await assertSound(page);
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('dialog').locator('code').textContent();
  assert.match(link ?? '', /^http:\/\/localhost:\d+\/dashboard\/invitation\/[\w-]+$/);
  assert.equal(
    await page.evaluate("document.activeElement.getAttribute('aria-label')"),
    'Copy link',
    'the focus follows what the dialog shows',
  );
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row').filter({ hasText: invited }).waitFor();
  const other = await openPage();
  await other.page.goto(link ?? '');
  await setPassword(other.page);

  await page.getByRole('button', { name: `Change role of ${invited}` }).click();
  await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
  await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
  await page.getByText(`The role of ${invited} is now viewer.`).waitFor();
  await service.database.query({
    text: `update sessions set confirmed_at = confirmed_at - interval '1 hour'`,
  });
  await page.reload();
  await page.getByRole('button', { name: `Remove ${invited}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByText(`${invited} removed.`).waitFor();
  await assertSound(page);

  await page.getByRole('link', { name: 'Audit log' }).click();
  const entry = page.getByRole('row').filter({ hasText: email }).filter({ hasText: 'remove' });
  await entry.first().waitFor();
  await assertSound(page);
  assert.deepEqual(troubles, []);
});

test('a user ends another session, and it is signed out', { skip }, async () => {
  const { page, email } = await openInvitation('viewer');
  await setPassword(page);
  const other = await openPage();
  await other.page.goto(`${site}/dashboard/team`);
  await signIn(other.page, email);
  await other.page.getByRole('heading', { name: 'Team' }).waitFor();
  await page.getByText(email).click();
  await page.getByRole('link', { name: 'Your sessions' }).click();
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByText('Session ended.').waitFor();
  await assertSound(page);
  await other.page.getByText('Your session has ended').waitFor();
});

test('a viewer sees the team and cannot change it', { skip }, async () => {
  const { page } = await openInvitation('viewer');
  await setPassword(page);
  await page.getByRole('link', { name: 'Team' }).click();
  await page.getByRole('table').waitFor();
  assert.equal(await page.getByRole('button', { name: /Invite|Remove|Change/ }).count(), 0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`on a phone, ${colorScheme}: axe finds nothing and nothing is wider than the screen`, {
    skip,
  }, async () => {
    const { page, email } = await openInvitation('owner', { width: 390, colorScheme });
    await assertSound(page);
    await setPassword(page);
    for (const name of ['Team', 'Audit log']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('table').waitFor();
      await assertSound(page);
    }
    await page.getByText(email).first().click();
    await page.getByRole('link', { name: 'Your sessions' }).click();
    await page.getByRole('table').waitFor();
    await assertSound(page);
  });
}

async function signIn(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.locator('.account summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}
