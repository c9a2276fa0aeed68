/**
 * A consumer on the checkout page who reloads it after every error, as people do. A payment that has no page to pay at is
 * given up, and the form is sent again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { newBrowser, type PlainBrowser, type Seen } from '../harness/plain-browser.ts';

export type OpenedOrder = { readonly orderId: string; readonly token: string };

/** The URL that leads to the provider; undefined if the page leads to none. */
export async function startAtCheckout(
  baseUrl: string,
  { orderId, token }: OpenedOrder,
  payment_mode_code: string,
): Promise<string | undefined> {
  const browser = newBrowser({ baseUrl }, token);
  await untilServed(() => browser.get(`/checkout?token=${token}`));
  for (let loads = 1; loads <= loadsMax; loads += 1) {
    const page = await untilServed(() => browser.get(`/checkout/${orderId}`));
    const launch = linkOf(page);
    if (launch !== undefined) return `${baseUrl}${launch}`;
    const posted = await post(browser, page, { payment_mode_code });
    if (posted === 'lost') continue;
    if (posted?.location?.startsWith('/pay/')) return `${baseUrl}${posted.location}`;
    const isGivenUp = posted?.status === 303 && stateOf(page) === 'waiting';
    if (!isGivenUp) return undefined;
  }
  throw new Error(`the checkout of ${orderId} is stuck`);
}

/** Chooses a mode, or gives the open payment up, whichever the page offers. */
async function post(browser: PlainBrowser, page: Seen, choice: Record<string, string>) {
  const state = stateOf(page);
  if (state !== 'choose' && state !== 'waiting') return undefined;
  const fields = state === 'choose' ? choice : {};
  const posted = await browser.submit(page, fields).catch(() => undefined);
  return posted === undefined || posted.status >= 500 ? 'lost' : posted;
}

function stateOf({ text }: Seen): string | undefined {
  return /data-state="([a-z]+)-/.exec(text)?.[1];
}

/** Of a payment that was started before, such as by a request whose reply was lost. */
function linkOf({ text }: Seen): string | undefined {
  return /<a [^>]*href="(\/pay\/[^"/]+\/[^"/?]+)"/.exec(text)?.[1];
}

const loadsMax = 300;

async function untilServed(load: () => Promise<Seen>): Promise<Seen> {
  for (let loads = 1; ; loads += 1) {
    const page = await load().catch(() => undefined);
    if (page && page.status < 500) return page;
    if (loads === loadsMax) throw new Error('the checkout is away');
    await delay(100);
  }
}
