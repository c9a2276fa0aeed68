/** Pages of the dashboard in a real browser, opened by people who were invited. */
import type { Page } from 'playwright-core';
import { commandLine } from '../../src/domain/audit.ts';
import type { Role } from '../../src/domain/users/role.ts';
import { inviteUser } from '../../src/use-cases/users/invite-user.ts';
import { openBrowser } from './browser.ts';
import { newEmail, password } from './dashboard.ts';

import { watchPage } from './sound-page.ts';
import type { TestService } from './test-service.ts';

export { assertSound } from './sound-page.ts';

export type Look = {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
};

export function dashboardPages(service: TestService, accountId: string) {
  /** Passkeys need a name, so links have this one. */
  const site = service.baseUrl.replace('127.0.0.1', 'localhost');

  const openPage = async ({ width = 1280, ...look }: Look = {}) => {
    const browser = await openBrowser();
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      reducedMotion: 'reduce' as const,
      ...look,
    });
    const page = await context.newPage();
    const troubles = watchPage(page, ({ origin }) => origin === site);
    return { page, troubles };
  };

  const invite = async (role: Role) => {
    const email = newEmail();
    const { link } = await inviteUser(service.services, commandLine, { accountId, email, role });
    return { email, link };
  };

  return {
    site,
    openPage,
    invite,
    /** A page that shows the link of a new user. */
    openInvitation: async (role: Role, look: Look = {}) => {
      const invited = await invite(role);
      const opened = await openPage(look);
      await opened.page.goto(invited.link);
      return { ...opened, ...invited };
    },
    /** A page of a user who is signed in. */
    openAs: async (role: Role, path: string, look: Look = {}) => {
      const { link } = await invite(role);
      const opened = await openPage(look);
      await opened.page.goto(link);
      await setPassword(opened.page);
      await opened.page.goto(`${site}/dashboard${path}`);
      return opened;
    },
  };
}

export async function setPassword(page: Page): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.locator('.account').waitFor();
}

/** A passkey device of the browser itself. */
export async function addAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
