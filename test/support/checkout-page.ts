/**
 * The checkout page in a real browser: opens orders, pays them at the simulator, and checks what holds on every page. The
 * shop to which consumers return is a server of its own.
 */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import type { RequestedAccount } from '../../src/use-cases/accounts/create-account.ts';
import { issueOrderToken } from '../../src/use-cases/orders/order-tokens.ts';
import { startLocalServer } from '../../tools/harness/local-server.ts';
import { openBrowser } from './browser.ts';
import { startJourney } from './journey.ts';
import { orderBody } from './order-bodies.ts';
import type { ReturnedPayload } from './returns.ts';
import { assertFits, watchPage } from './sound-page.ts';

export type Look = {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
  readonly javaScriptEnabled?: boolean;
};

export type OrderOf = { readonly accountId: string; readonly orderId: string };

export type CheckoutPages = Awaited<ReturnType<typeof startCheckoutPages>>;

export type Opened = {
  readonly page: Page;
  readonly orderId: string;
  /** Errors of scripts and of the console, and requests to other hosts. */
  readonly troubles: string[];
};

/** Of a shop whose UPI payments open the consumer's app. */
export const upiIntent = { providerSettings: { partner: { 'upi-intent': 'on' } } } as const;

export async function startCheckoutPages() {
  const journey = await startJourney();
  const { service, shop, createOrder, enquire } = journey;
  const shopPage = await startShopPage();
  /** Creates an order of the shop that leads back to its page. */
  const createReturning = async () => {
    const orderId = await createOrder({
      callback_url: `${shopPage.url}/back`,
      order_line_items: [{ title: 'Darjeeling First Flush', quantity: 2, total_amount: 118 }],
    });
    return { accountId: shop.accountId, orderId };
  };
  /** An order token, as create order returns it. */
  const tokenOf = async ({ accountId, orderId }: OrderOf) => {
    const { token } = await issueOrderToken(service.services, {
      accountId,
      orderId,
      userId: null,
      restricted: false,
    });
    return token;
  };
  /** Opens the order in a new tab of a browser that may have others open. */
  const openTab = async (context: BrowserContext, order: OrderOf): Promise<Opened> => {
    const { orderId } = order;
    const page = await context.newPage();
    const troubles = watch(page);
    await page.goto(`${service.baseUrl}/?token=${await tokenOf(order)}`);
    assert.equal(page.url(), `${service.baseUrl}/checkout/${orderId}`);
    return { page, orderId, troubles };
  };
  const openOrder = async (order: OrderOf, look?: Look) => openTab(await newContext(look), order);
  return {
    ...journey,
    shopPage,
    createReturning,
    /** Opens another shop with these settings and creates an order of it. */
    createAtShop: async (settings: Partial<RequestedAccount>) => {
      const { accountId, token, accessSecret } = await journey.openShop(settings);
      const body = orderBody({ callback_url: `${shopPage.url}/back` });
      const created = await service.call('/api/v3/create-order', { token, body });
      return { accountId, token, accessSecret, orderId: String(created.body.order_id) };
    },
    tokenOf,
    openTab,
    openOrder,
    openPage: async (look?: Look) => openOrder(await createReturning(), look),
    countPayments: async (orderId: string): Promise<number> =>
      (await enquire({ order_id: orderId })).body.transaction.length,
  };
}

export async function newContext({ width = 1280, ...options }: Look = {}): Promise<BrowserContext> {
  const browser = await openBrowser();
  const common = {
    viewport: { width, height: 844 },
    timezoneId: 'Asia/Kolkata',
    // Drawing what moves takes more CPU than all else on these pages.
    reducedMotion: 'reduce' as const,
  };
  return browser.newContext({ ...common, ...options });
}

export function watch(page: Page): string[] {
  return watchPage(page, ({ hostname }) => hostname === '127.0.0.1');
}

export async function startPayment(page: Page, label: string): Promise<void> {
  await page.getByLabel(label).first().check();
  await page.getByRole('button', { name: /^Pay ₹/ }).click();
  await page.getByText('INR 118.00').waitFor();
}

export async function pay(page: Page, label: string): Promise<void> {
  await startPayment(page, label);
  await page.getByRole('button', { name: 'Pay' }).first().click();
}

/** Text that is cut off: it is outside of the screen, or of a box that does not scroll. */
export async function assertNothingCut(page: Page): Promise<void> {
  await assertFits(page);
  const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((element) => element.checkVisibility() && !element.closest('.unseen, script, noscript'))
    .filter((element) => {
      const { overflowX, overflowY } = getComputedStyle(element);
      const { left, right } = element.getBoundingClientRect();
      return left < 0 || right > innerWidth + 0.5
        || (overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1)
        || (overflowY === 'hidden' && element.scrollHeight > element.clientHeight + 1);
    })
    .map((element) => element.outerHTML.slice(0, 120))`);
  assert.deepEqual(cut, []);
}

/** The score of everything that has moved since the page was loaded without the consumer doing anything. */
export function layoutShiftOf(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntriesByType('layout-shift')) {
        sum += hadRecentInput ? 0 : value;
      }
      // Entries arrive in the order in which they are asked for, and there is always one of the navigation.
      if (list.getEntriesByType('navigation').length > 0) resolve(sum);
    });
    observer.observe({ type: 'layout-shift', buffered: true });
    observer.observe({ type: 'navigation', buffered: true });
  })`);
}

/** The shop to which consumers return. */
export async function startShopPage(host = '127.0.0.1') {
  const payloads: ReturnedPayload[] = [];
  const { url, close } = await startLocalServer(
    (request, reply) => {
      const response = new URL(request.url ?? '', 'http://shop').searchParams.get('response');
      if (response !== null) {
        payloads.push(JSON.parse(Buffer.from(response, 'base64').toString('utf8')).payload);
      }
      reply.setHeader('content-type', 'text/html');
      reply.end('<link rel="icon" href="data:,"><p>Thank you for your order</p>');
    },
    { host },
  );
  after(close);
  return {
    url,
    /** The result that the last consumer brought. */
    take: () => {
      const payload = payloads.pop();
      assert.ok(payload, 'nobody has returned');
      return payload;
    },
  };
}
