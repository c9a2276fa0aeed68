/** Opens the checkout of an order in a browser without scripts. */
import assert from 'node:assert/strict';
import { issueOrderToken } from '../../src/use-cases/orders/order-tokens.ts';
import { newBrowser, type PlainBrowser, type Seen } from '../../tools/harness/plain-browser.ts';
import type { TestService } from './test-service.ts';

export async function openCheckout(
  service: TestService,
  { accountId, orderId }: { readonly accountId: string; readonly orderId: string },
): Promise<PlainBrowser & { readonly page: Seen }> {
  const { token } = await issueOrderToken(service.services, {
    accountId,
    orderId,
    userId: null,
    restricted: false,
  });
  const browser = newBrowser(service, token);
  const opened = await browser.get(`/checkout?token=${token}`);
  assert.deepEqual([opened.status, opened.location], [303, `/checkout/${orderId}`]);
  return { ...browser, page: await browser.get(`/checkout/${orderId}`) };
}
