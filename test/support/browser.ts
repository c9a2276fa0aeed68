/** A real Chromium from an npm package: nothing is downloaded, nothing must be installed. */
import { access, mkdir, rename, rm } from 'node:fs/promises';
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

const folder = `${projectDir}node_modules/.cache/chromium`;

/**
 * The package unpacks into the temporary folder, where the copy of another user would be in the way. Several
 * test files may be the first at once: each unpacks for itself, and one of the copies stays.
 */
async function unpackBrowser(): Promise<string> {
  if (await exists(`${folder}/chromium`)) return executableIn(folder);
  const own = `${folder}-${process.pid}`;
  await mkdir(own, { recursive: true });
  await executableIn(own);
  await rename(own, folder).catch(() => rm(own, { recursive: true }));
  return executableIn(folder);
}

async function executableIn(temporaryFolder: string): Promise<string> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = temporaryFolder;
  try {
    return await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
