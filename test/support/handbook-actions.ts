/** What has happened before a command of docs/operations.md is useful: the document names it in a comment. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { projectDir } from '../../tools/harness/project.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { partnerEvent, partnerPayment, signPartner } from './deliveries.ts';
import { images } from './images.ts';
import { orderBody } from './order-bodies.ts';
import type { Shell } from './shell.ts';

type Terminal = {
  readonly shell: Shell;
  readonly port: number;
  readonly get: (variable: string) => Promise<string>;
};

type Paid = { readonly orderId: string; readonly deliveryId: string };

export function handbookActions(
  { shell, port, get }: Terminal,
  logoFile: string,
): Readonly<Record<string, () => Promise<void>>> {
  const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>>) => {
    const url = `http://127.0.0.1:${port}${path}`;
    const reply = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
    assert.equal(reply.status, 200, path);
    return (await reply.json()) as Record<string, string>;
  };
  const runJson = async (words: string) => {
    const cli = `${process.execPath} ${projectDir}src/cli/main.ts ${words} --json`;
    const { code, output, errors } = await shell.run(cli);
    assert.equal(code, 0, errors);
    return JSON.parse(output);
  };
  const orderAndPay = async (invoice: string, payment: object = {}): Promise<Paid> => {
    const { access_key, access_secret, account_id, partner_webhook_secret } = JSON.parse(
      await get('ACCOUNT'),
    );
    const { token } = await post('/api/v3/generate-token', { access_key, access_secret }, {});
    const authorization = `Bearer ${token}`;
    const order = await post('/api/v3/create-order', orderBody({ invoice_id: invoice }), {
      authorization,
    });
    const event = partnerEvent('payment.captured', {
      payment: partnerPayment({ notes: { invoice_id: invoice }, ...payment }),
    });
    const signature = signPartner(Buffer.from(JSON.stringify(event)), partner_webhook_secret);
    const delivery = await post(`/api/v3/webhooks/partner/${account_id}`, event, {
      'x-razorpay-signature': signature,
    });
    return { orderId: String(order.order_id), deliveryId: String(delivery.delivery_id) };
  };

  return {
    'asha@example.com accepts the invitation': async () => {
      const words = 'user invite $ACCOUNT_ID --email asha@example.com --role operator';
      const { link } = await runJson(words);
      const token = String(link).split('/').at(-1);
      await post(
        `/dashboard/api/invitation/${token}/password`,
        { password: 'tea leaves, first flush' },
        { 'content-type': 'application/json', origin: await get('PUBLIC_URL') },
      );
    },
    'logo.png is a logo': () => writeFile(logoFile, images.png),
    'INV-1001 is ordered and paid by DELIVERY_ID': async () => {
      const { orderId, deliveryId } = await orderAndPay('INV-1001');
      await shell.run(`ORDER_ID=${orderId} DELIVERY_ID=${deliveryId}`);
    },
    'REVIEW_ID and DELIVERY_ID need a review': async () => {
      const first = await orderAndPay('INV-1002', { amount: 11_900 });
      const { deliveryId } = await orderAndPay('INV-1003', { amount: 11_900 });
      const { review } = await runJson('review list');
      const item = review.find((entry: { order_id?: string }) => entry.order_id === first.orderId);
      await shell.run(`REVIEW_ID=${item.id} DELIVERY_ID=${deliveryId}`);
    },
    'EVENT_ID waits for its shop': async () => {
      await runJson('endpoint create $ACCOUNT_ID --url https://shop.invalid/events');
      await orderAndPay('INV-1004');
      await waitUntil('an event waits', async () => {
        const { events } = await runJson('event list --state pending');
        if (events.length > 0) await shell.run(`EVENT_ID=${events[0].event_id}`);
        return events.length > 0;
      });
    },
  };
}
