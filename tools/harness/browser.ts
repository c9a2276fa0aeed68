/** Starts a real Chromium: the one of an npm package, or an installed one. Nothing is downloaded at run time. */
import { access, mkdir, rename, rm } from 'node:fs/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { projectDir } from './project.ts';

/** The package contains a Chromium for x64 only. Other machines use an installed one, as does any if it is named. */
const installed = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const isPackaged = process.arch === 'x64' && process.env.CHROMIUM_PATH === undefined;

/** Why no browser can run on this machine; false where they can. */
export const noBrowser: string | false =
  isPackaged || (await exists(installed))
    ? false
    : `there is no Chromium at ${installed}: install one, or name it in CHROMIUM_PATH`;

export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: isPackaged ? await unpackBrowser() : installed,
    args: [
      ...(isPackaged ? chromium.args.filter(isWanted) : ['--no-sandbox']),
      '--disable-gpu',
      '--disable-background-networking',
      '--no-first-run',
    ],
    headless: true,
  });
}

/** The package turns off the same-origin policy; tests and screenshots need the behaviour of a consumer's browser. */
function isWanted(argument: string): boolean {
  const unwanted = [
    '--disable-web-security',
    '--disable-site-isolation-trials',
    '--allow-running-insecure-content',
    // Contexts would share the cookies of the first one.
    '--single-process',
    // A GPU in software takes a quarter of the CPU of the tests, and the pages do not need one.
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--in-process-gpu',
    '--ignore-gpu-blocklist',
  ];
  return !unwanted.includes(argument);
}

const folder = `${projectDir}node_modules/.cache/chromium`;

/**
 * The package unpacks into the temporary folder, where it would clash with the copy of another user. Several test files
 * may start concurrently: each unpacks its own copy, and one of the copies stays.
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
