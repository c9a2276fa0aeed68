/** A shop on a site of its own whose pages open the checkout in a frame, and what they hear from it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { startLocalServer } from '../../tools/harness/local-server.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { type CheckoutPages, type Look, newContext } from './checkout-page.ts';
import type { ReturnedPayload } from './returns.ts';
import { watchPage } from './sound-page.ts';

type Settings = Parameters<CheckoutPages['createAtShop']>[0];

type Heard = { readonly origin: string; readonly text: string };

const html = (body: string) =>
  `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Tea shop</h1>${body}`;

const pages: Readonly<Record<string, string>> = {
  /** A Pay button with the module of the client. */
  '/': html(`<button>Pay</button><script type="module">
import { openCheckout } from '/browser.js';
window.results = [];
document.querySelector('button').addEventListener('click', () => {
  const onResult = (result) => results.push(result);
  window.checkout = openCheckout({ ...window.options, onResult });
});
</script>`),
  /** Pretends to be the checkout. */
  '/forged': html(`<script>
parent.postMessage('{"event_type":"globalHandleCheckoutResponse","payload":{"status":"success"}}', '*');
</script>`),
  /** What other libraries do: a frame whose address has the token, and everything that is posted to the page. */
  '/library': html(`<script>
window.heard = [];
addEventListener('message', ({ origin, data }) => heard.push({ origin, text: data }));
</script>`),
};

/** On `localhost`, which is another site than the 127.0.0.1 of the service. */
export async function startFrameShop({ service, tokenOf, createAtShop }: CheckoutPages) {
  const script = await readFile(new URL('../../client/browser.js', import.meta.url));
  const { url, close } = await startLocalServer(
    ({ url: path = '' }, reply) => {
      const isScript = path === '/browser.js';
      reply.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      reply.end(isScript ? script : pages[path]);
    },
    { host: 'localhost' },
  );
  after(close);
  const openPage = async (path: string, settings: Settings, look?: Look) => {
    const order = await createAtShop(settings);
    const page = await (await newContext(look)).newPage();
    const troubles = watchPage(page, ({ hostname }) => /^(127\.0\.0\.1|localhost)$/.test(hostname));
    await page.goto(`${url}${path}`);
    const frame = page.frameLocator('iframe');
    return { page, frame, order, token: await tokenOf(order), troubles };
  };
  const prepare = async (look?: Look, settings: Settings = { frameOrigins: [url] }) => {
    const opened = await openPage('/', settings, look);
    const options = { baseUrl: service.baseUrl, token: opened.token };
    await opened.page.evaluate(`window.options = ${JSON.stringify(options)}`);
    return { ...opened, open: () => opened.page.getByRole('button', { name: 'Pay' }).click() };
  };
  return {
    url,
    prepare,
    /** A page of the shop, with the checkout opened by its Pay button. */
    openByButton: async (look?: Look) => {
      const { open, ...opened } = await prepare(look);
      await open();
      return opened;
    },
    /** The same by a library that puts the address into a frame. */
    openByAddress: async (frameOrigins: readonly string[] = [url]) => {
      const opened = await openPage('/library', { frameOrigins });
      const src = `${service.baseUrl}/?token=${opened.token}`;
      await opened.page.evaluate(`document.body.insertAdjacentHTML('beforeend',
        '<iframe title="Checkout" width="480" height="700" src="${src}"></iframe>')`);
      return opened;
    },
  };
}

/** The only result that the page got. */
export async function resultOn(page: Page): Promise<ReturnedPayload> {
  const read = () => page.evaluate<ReturnedPayload[]>('results');
  await waitUntil('the shop has a result', async () => (await read()).length > 0);
  const results = await read();
  assert.equal(results.length, 1);
  return results[0];
}

export const heardOn = (page: Page): Promise<readonly Heard[]> => page.evaluate('heard');

/** Chooses UPI, and pays or declines in the window that opens. */
export async function payInWindow(page: Page, frame: FrameLocator, button = 'Pay'): Promise<Page> {
  await frame.getByLabel('UPI').first().check();
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    frame.getByRole('button', { name: /^Pay ₹/ }).click(),
  ]);
  await popup.getByText('INR 118.00').waitFor();
  assert.equal(await popup.evaluate('opener'), null, 'the provider cannot navigate the frame');
  const closed = popup.waitForEvent('close');
  await popup.getByRole('button', { name: button }).first().click();
  await closed;
  return popup;
}
