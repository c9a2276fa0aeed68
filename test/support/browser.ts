/** A real Chromium from an npm package: nothing is downloaded, nothing must be installed. */
import { mkdir } from 'node:fs/promises';
import { after } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { projectDir } from './service-process.ts';

export async function openBrowser(): Promise<Browser> {
  const browser = await playwright.launch({
    executablePath: await unpackBrowser(),
    args: [...chromium.args, '--disable-background-networking', '--no-first-run'],
    headless: true,
  });
  after(() => browser.close());
  return browser;
}

/** The package unpacks into the temporary folder, where the copy of another user would be in the way. */
async function unpackBrowser(): Promise<string> {
  const before = process.env.TMPDIR;
  const folder = `${projectDir}node_modules/.cache/chromium`;
  await mkdir(folder, { recursive: true });
  process.env.TMPDIR = folder;
  try {
    return await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
