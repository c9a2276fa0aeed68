/** What holds on every page that people see: no finding of axe, and nothing wider than the screen. */
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

export async function assertSound(page: Page): Promise<void> {
  // The pages have no frames, so axe does not need the blank page that it opens for them otherwise. Describing what is
  // right takes half of its time, and nobody reads it.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
  await assertFits(page);
}

export async function assertFits(page: Page): Promise<void> {
  const tooWide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(tooWide <= 0, `${tooWide} px too wide`);
}

/** Errors of scripts and of the console, and requests to others than the service. */
export function watchPage(page: Page, isOwn: (url: URL) => boolean): string[] {
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('request', (request) => {
    if (!isOwn(new URL(request.url()))) troubles.push(request.url());
  });
  return troubles;
}
