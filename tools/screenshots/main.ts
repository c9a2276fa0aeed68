/**
 * `npm run screenshots`: pictures of the pages that people see, taken from a running service. Without options it renews
 * those in docs/images; with `--every` it shows every state at both widths, in both schemes and both languages.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { readOptionsOrExit } from '../../simulator/program-options.ts';
import { type Stage, setStage } from '../demo/stage.ts';
import { launchBrowser } from '../harness/browser.ts';
import { projectDir } from '../harness/project.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { dressShop } from './shop.ts';
import { type State, states } from './states.ts';

type Look = {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly locale: 'en-IN' | 'hi-IN';
};

const values = readOptionsOrExit({
  call: 'npm run screenshots',
  description:
    'Starts a service with a database of its own, the simulator and a browser, and takes pictures of the checkout page.',
  options: {
    every: {
      value: 'FOLDER',
      text: 'Write every state at both widths, in both schemes and both languages into this folder, instead of a few into docs/images.',
    },
  },
  examples: ['', '--every /tmp/screenshots'],
});

/** The pictures of the documents. */
const shown: readonly (readonly [state: string, file: string, look: Look])[] = [
  ['choose', 'checkout-desktop', { width: 1280, colorScheme: 'light', locale: 'en-IN' }],
  ['upi', 'checkout-upi', { width: 390, colorScheme: 'dark', locale: 'en-IN' }],
  ['paid', 'checkout-paid', { width: 390, colorScheme: 'light', locale: 'hi-IN' }],
];
const looks: readonly Look[] = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['en-IN', 'hi-IN'] as const).map((locale) => ({ width, colorScheme, locale })),
  ),
);

const folder = await makeTemporaryFolder('payment-order-service-screenshots-');
const stage = await setStage({ seed: 1, timeScale: 0.01 });
const browser = await launchBrowser();
try {
  await dressShop(stage, browser, folder.path);
  await (values.every === undefined ? takeShown() : takeEvery(values.every));
} finally {
  await browser.close();
  await stage.close();
  await folder.remove();
}

async function takeShown(): Promise<void> {
  const target = join(projectDir, 'docs/images');
  await mkdir(target, { recursive: true });
  for (const [name, file, look] of shown) {
    const state = states.find((one) => one.name === name);
    if (!state) throw new Error(`there is no state ${name}`);
    await take({ stage, browser, state, look, path: join(target, `${file}.png`) });
  }
}

async function takeEvery(target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const state of states) {
    for (const look of looks) {
      const file = [state.name, look.width, look.colorScheme, look.locale.slice(0, 2)].join('-');
      await take({ stage, browser, state, look, path: join(target, `${file}.png`) });
    }
  }
}

type Picture = {
  readonly stage: Stage;
  readonly browser: Browser;
  readonly state: State;
  readonly look: Look;
  readonly path: string;
};

async function take({ stage, browser, state, look, path }: Picture): Promise<void> {
  const { width, colorScheme, locale } = look;
  const context = await browser.newContext({
    ...{ viewport: { width, height: width < 800 ? 844 : 800 }, colorScheme, locale },
    timezoneId: 'Asia/Kolkata',
    // A moving mark would make every picture different.
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await state.reach(page, stage);
  await page.screenshot({ path, fullPage: true });
  await context.close();
  console.log(path);
}
