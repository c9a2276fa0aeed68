/** Every page of the dashboard opens for an owner, in one browser. Their states are in test/slow/browser. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventIdOf } from '../../src/domain/ids.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { disputeEvent, disputeRecord } from '../api/disputes/dispute-shop.ts';
import { noBrowser } from '../support/browser.ts';
import { dashboardPages } from '../support/dashboard-page.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { orderBody } from '../support/order-bodies.ts';
import { addEndpoint } from '../support/shop-endpoint.ts';
import { startTestService } from '../support/test-service.ts';

const service = await startTestService({ port: await findFreePort() });
const shop = await service.createAccount({ name: 'Tea shop' });
const { site, openAs } = dashboardPages(service, shop.accountId);
await addEndpoint(service, shop.accountId, 'http://127.0.0.1:9/nobody');
const body = orderBody({ invoice_id: 'PAID-1' });
const { body: order } = await service.call('/api/v3/create-order', { token: shop.token, body });
const payment = partnerPayment({ amount: 11_800, notes: { invoice_id: 'PAID-1' } });
await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
const dispute = disputeRecord(payment);
await sendPartner(service, shop, disputeEvent('created', dispute));
const params: Readonly<Record<string, string>> = {
  order_id: order.order_id,
  dispute_id: String(dispute.id),
  event_id: eventIdOf({ accountId: shop.accountId, orderId: order.order_id, sequence: 1 }),
};
const pages = readFileSync(new URL('../../dashboard/pages.js', import.meta.url), 'utf8');
const paths = [...pages.matchAll(/path: '(\/[^']*)'/g)].map(([, path = '']) => path);

test('every page shows its heading, and no error', {
  skip: noBrowser,
}, async () => {
  assert.ok(paths.length >= 16);
  const { page, troubles } = await openAs('owner', '/');
  for (const path of paths) {
    await page.goto(`${site}/dashboard${path.replace(/:(\w+)/, (_, name) => params[name] ?? '')}`);
    await page.locator('main h1').waitFor();
    await page.waitForLoadState('networkidle');
  }
  assert.deepEqual(troubles, []);
});
