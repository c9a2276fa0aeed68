/** Pictures of the dashboard of a filled shop: a few for the documents, or every page in every look. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { setFilledStage } from '../demo/fill/filled-stage.ts';
import type { Stage } from '../demo/stage.ts';
import { type DashboardPage, dashboardPages, type Finder } from './dashboard-pages.ts';

type Look = { readonly width: number; readonly colorScheme: 'light' | 'dark' };

/** The pictures of the documents. They show what fits on the screen; long pages would be large files. */
const documented: readonly (readonly [page: string, look: Look])[] = [
  ['overview', { width: 1440, colorScheme: 'light' }],
  ['why', { width: 1120, colorScheme: 'dark' }],
  ['orders', { width: 390, colorScheme: 'light' }],
  ['disputes', { width: 1120, colorScheme: 'light' }],
  ['evidence', { width: 1120, colorScheme: 'light' }],
];
const looks: readonly Look[] = [390, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);
const shop = { seed: 1, orders: 300, days: 30 };

export async function takeDashboard(
  browser: Browser,
  target: string,
  { isEvery }: { readonly isEvery: boolean },
): Promise<void> {
  const stage = await setFilledStage(shop);
  try {
    const owner = await signIn(stage, browser);
    await mkdir(target, { recursive: true });
    const pictures = isEvery ? everyPicture() : documented;
    for (const [name, look] of pictures) {
      const page = dashboardPages.find((one) => one.name === name);
      if (!page) throw new Error(`there is no page ${name}`);
      const file = [name, ...(isEvery ? [look.width, look.colorScheme] : [])].join('-');
      const path = join(target, `dashboard-${file}.png`);
      await take({ browser, owner, page, look, path, fullPage: isEvery });
    }
  } finally {
    await stage.close();
  }
}

function everyPicture(): (readonly [page: string, look: Look])[] {
  return dashboardPages.flatMap(({ name }) => looks.map((look) => [name, look] as const));
}

type Owner = Finder & {
  readonly site: string;
  readonly cookies: Awaited<ReturnType<BrowserContext['storageState']>>;
};

async function signIn({ cli, accountId }: Stage, browser: Browser): Promise<Owner> {
  const invitation = ['user', 'invite', accountId, '--email', 'you@nilgiri.example'];
  const { link } = await cli(...invitation, '--role', 'owner');
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(String(link));
  await page.getByLabel('Password').fill('two leaves and a bud');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.locator('.account').waitFor();
  const site = String(link).replace(/\/invitation\/.*$/, '');
  return {
    site,
    cli,
    cookies: await context.storageState(),
    // A page that another part of the dashboard brings may have an API that is not there yet.
    read: async (path) => {
      const reply = await context.request.get(`${site}/api${path}`);
      return reply.ok() ? await reply.json() : {};
    },
  };
}

type Picture = {
  readonly browser: Browser;
  readonly owner: Owner;
  readonly page: DashboardPage;
  readonly look: Look;
  readonly path: string;
  readonly fullPage: boolean;
};

async function take({ browser, owner, page, look, path, fullPage }: Picture): Promise<void> {
  const { site, cookies } = owner;
  const found = typeof page.path === 'string' ? page.path : await page.path(owner);
  if (found === undefined) {
    console.log(`${page.name}: the shop has nothing to show`);
    return;
  }
  const { width, colorScheme } = look;
  const context = await browser.newContext({
    viewport: { width, height: width < 800 ? 844 : 900 },
    colorScheme,
    locale: 'en-IN',
    timezoneId: 'Asia/Kolkata',
    deviceScaleFactor: 1,
    // A moving mark would make every picture different.
    reducedMotion: 'reduce',
    ...(!page.isSignedOut && { storageState: cookies }),
  });
  const opened = await context.newPage();
  await opened.goto(`${site}${found}`);
  await waitForContent(opened);
  await opened.screenshot({ path, fullPage });
  await context.close();
  console.log(path);
}

/** Until nothing is loading any more: neither data nor the modules and charts of the page. */
async function waitForContent(page: Page): Promise<void> {
  await page.locator('h1, .empty').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}
