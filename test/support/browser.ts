/** A real Chromium from an npm package: nothing is downloaded, nothing must be installed. */
import { after } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

export async function openBrowser(): Promise<Browser> {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, '--disable-background-networking', '--no-first-run'],
    headless: true,
  });
  after(() => browser.close());
  return browser;
}
