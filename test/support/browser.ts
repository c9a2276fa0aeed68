/** One real Chromium for all tests of a file. Pages that stay open would poll and draw for ever, so each test's are closed. */
import { after, afterEach } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../tools/harness/browser.ts';

export { noBrowser } from '../../tools/harness/browser.ts';

let opened: Promise<Browser> | undefined;
after(async () => (await opened)?.close());
afterEach(async () => {
  const contexts = (await opened)?.contexts() ?? [];
  await Promise.all(contexts.map((context) => context.close()));
});

export function openBrowser(): Promise<Browser> {
  opened ??= launchBrowser();
  return opened;
}
