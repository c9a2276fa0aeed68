/** A consumer who uses the keyboard alone, and must see where they are. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Presses Tab until this has the focus. */
export async function tabTo(page: Page, wanted: string): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    await page.keyboard.press('Tab');
    await assertFocusShown(page);
    if ((await focused(page)) === wanted) return;
  }
  assert.fail(`${wanted} cannot be reached`);
}

export async function follow(page: Page, wanted: string): Promise<void> {
  await tabTo(page, wanted);
  await page.keyboard.press('Enter');
}

export async function assertFocusShown(page: Page): Promise<void> {
  const outline = await page.evaluate<string>(
    `(({ outlineStyle, outlineWidth }) => outlineStyle + ' ' + outlineWidth)(getComputedStyle(document.activeElement))`,
  );
  assert.equal(outline, 'solid 3px');
}

/** The value of the input or the text of the link or button that has the focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(`document.activeElement.value || document.activeElement.textContent.trim()`);
}
