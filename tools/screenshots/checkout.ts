/** Pictures of the checkout page: a few for the documents, or every state in every look. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type Stage, setStage } from '../demo/stage.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { dressShop } from './shop.ts';
import { type State, states } from './states.ts';

type Look = {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly locale: 'en-IN' | 'hi-IN';
};

/** The pictures of the documents. */
const documented: readonly (readonly [state: string, file: string, look: Look])[] = [
  ['choose', 'checkout-desktop', { width: 1280, colorScheme: 'light', locale: 'en-IN' }],
  ['upi', 'checkout-upi', { width: 390, colorScheme: 'dark', locale: 'en-IN' }],
  ['paid', 'checkout-paid', { width: 390, colorScheme: 'light', locale: 'hi-IN' }],
];
const looks: readonly Look[] = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    (['en-IN', 'hi-IN'] as const).map((locale) => ({ width, colorScheme, locale })),
  ),
);

export async function takeCheckout(
  browser: Browser,
  target: string,
  { isEvery }: { readonly isEvery: boolean },
): Promise<void> {
  const folder = await makeTemporaryFolder('payment-order-service-screenshots-');
  const stage = await setStage({ seed: 1, timeScale: 0.01 });
  try {
    await dressShop(stage, browser, folder.path);
    await mkdir(target, { recursive: true });
    const pictures = isEvery ? everyPicture() : documented;
    for (const [name, file, look] of pictures) {
      const state = states.find((one) => one.name === name);
      if (!state) throw new Error(`there is no state ${name}`);
      await take({ stage, browser, state, look, path: join(target, `${file}.png`) });
    }
  } finally {
    await stage.close();
    await folder.remove();
  }
}

function everyPicture(): (readonly [state: string, file: string, look: Look])[] {
  return states.flatMap(({ name }) =>
    looks.map((look) => {
      const file = [name, look.width, look.colorScheme, look.locale.slice(0, 2)].join('-');
      return [name, file, look] as const;
    }),
  );
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
    viewport: { width, height: width < 800 ? 844 : 800 },
    colorScheme,
    locale,
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
