/** One real Chromium for all tests of a file. */
import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../tools/harness/browser.ts';

export { noBrowser } from '../../tools/harness/browser.ts';

let opened: Promise<Browser> | undefined;
after(async () => (await opened)?.close());

export function openBrowser(): Promise<Browser> {
  opened ??= launchBrowser();
  return opened;
}
