/** Every state of the checkout page, and how a consumer gets there. */
import type { Page } from 'playwright-core';
import type { Stage } from '../demo/stage.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { teaOrder } from './shop.ts';

export type State = {
  readonly name: string;
  /** Leads a page to the state. */
  readonly reach: (page: Page, stage: Stage) => Promise<void>;
};

let count = 0;

export const states: readonly State[] = [
  { name: 'choose', reach: async (page, stage) => void (await open(page, stage)) },
  {
    name: 'banks',
    reach: async (page, stage) => {
      await open(page, stage);
      await page.locator('input[value=net_banking]').check();
      await page.locator('input[type=search]').locator('visible=true').fill('ba');
    },
  },
  { name: 'upi', reach: (page, stage) => start(page, stage, 'upi') },
  {
    name: 'waiting',
    reach: async (page, stage) => {
      await start(page, stage, 'credit_card');
      await page.goBack();
      await page.locator('[data-state]').waitFor();
    },
  },
  {
    name: 'slow-bank',
    reach: async (page, stage) => {
      await start(page, stage, 'credit_card');
      await page.goBack();
      // The page changes by itself after 15 seconds.
      await page.locator('[data-state$=slow]').waitFor();
    },
  },
  { name: 'paid', reach: (page, stage) => finish(page, stage, 'pay') },
  { name: 'failed', reach: (page, stage) => finish(page, stage, 'decline') },
  {
    name: 'expired',
    reach: async (page, { client }) => {
      const expires_at = new Date(Date.now() + 1_500).toISOString();
      const order = await client.createPaymentLink({ ...teaOrder(nextInvoice()), expires_at });
      await page.goto(order.payment_link);
      await waitUntil('the order has lapsed', async () => {
        await page.reload();
        return (await page.locator('input[type=radio]').count()) === 0;
      });
    },
  },
  {
    name: 'unknown-link',
    reach: async (page, { baseUrl }) => void (await page.goto(`${baseUrl}/checkout?token=none`)),
  },
  { name: 'provider', reach: (page, stage) => start(page, stage, 'credit_card') },
];

async function open(page: Page, { client, baseUrl }: Stage): Promise<string> {
  const { order_id, token } = await client.createOrder(teaOrder(nextInvoice()));
  await page.goto(`${baseUrl}/?token=${token}`);
  return order_id;
}

async function start(page: Page, stage: Stage, mode: string): Promise<void> {
  const orderId = await open(page, stage);
  await page.locator(`input[value=${mode}]`).check();
  await page.locator('form[method=post] button').first().click();
  const next = mode === 'upi' ? page.locator('.code') : page.locator('[value=decline]');
  await next.waitFor();
  if (mode === 'upi') await page.waitForURL(`**/checkout/${orderId}`);
}

async function finish(page: Page, stage: Stage, action: string): Promise<void> {
  await start(page, stage, 'credit_card');
  await page.locator(`[value=${action}]`).click();
  await page.waitForURL('**/checkout/**');
  await page.locator('.mark.good, .notice').first().waitFor();
}

function nextInvoice(): string {
  count += 1;
  return `TEA-${2600 + count}`;
}
