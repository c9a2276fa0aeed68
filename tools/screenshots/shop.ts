/** The shop of the screenshots: its branding, its cart, and a logo that is drawn by the browser. */
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Stage } from '../demo/stage.ts';

const logo = `<body style="margin:0"><svg width="96" height="96" viewBox="0 0 96 96" xmlns="http://www.w3.org/2000/svg">
<rect width="96" height="96" rx="20" fill="#0f6b4f"/>
<path d="M22 70C18 38 40 22 76 22c1 34-17 54-46 50" fill="#bfe6d0"/>
<path d="M20 78c6-22 20-34 40-42" fill="none" stroke="#0f6b4f" stroke-width="6" stroke-linecap="round"/>
</svg>`;

/** UPI opens the consumer's app, so that the page with the QR code can be shown. */
export async function dressShop(
  { cli, accountId }: Stage,
  browser: Browser,
  folder: string,
): Promise<void> {
  const file = join(folder, 'logo.png');
  const page = await browser.newPage({ viewport: { width: 96, height: 96 } });
  await page.setContent(logo);
  await page.screenshot({ path: file, omitBackground: true });
  await page.close();
  await cli(
    'account',
    'update',
    accountId,
    '--name',
    'Nilgiri Tea House',
    '--logo',
    file,
    '--colour',
    '#0f6b4f',
    '--support-email',
    'help@nilgiri.example',
    '--support-phone',
    '+91 80 4000 1234',
    '--partner-upi-intent',
    'on',
  );
}

export function teaOrder(invoice_id: string) {
  return {
    invoice_id,
    currency: 'INR',
    amount_before_tax: 1250,
    tax: 62.5,
    total_amount: 1312.5,
    callback_url: 'https://nilgiri.example/thanks',
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: '9876543210' },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [
      { title: 'Darjeeling, first flush, 100 g', quantity: 2, total_amount: 892.5 },
      { title: 'Stoneware tea bowl', quantity: 1, total_amount: 420 },
    ],
  };
}
