/** Webhooks and payment links in a real browser. Contract 13.7. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventDeliveries } from '../../../src/use-cases/events/deliver-events.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { noBrowser } from '../../support/browser.ts';
import { password } from '../../support/dashboard.ts';
import { assertSound, dashboardPages } from '../../support/dashboard-page.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { addEndpoint, startShopEndpoint } from '../../support/shop-endpoint.ts';
import { startTestService } from '../../support/test-service.ts';

const skip = noBrowser;
const service = await startTestService({ port: await findFreePort() });
const shop = await service.createAccount({ name: 'Tea shop' });
const { site, openAs } = dashboardPages(service, shop.accountId);
const receiver = await startShopEndpoint();
const endpoint = await addEndpoint(service, shop.accountId, receiver.url);
const body = orderBody({ invoice_id: 'HOOK-1' });
await service.call('/api/v3/create-order', { token: shop.token, body });
const payment = partnerPayment({ amount: 11_800, notes: { invoice_id: 'HOOK-1' } });
await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
await sendDue();

test('an owner adds an endpoint by keyboard, sees its secret once, tests, changes, rotates and deletes', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('owner', '/webhooks');
  const dialog = page.getByRole('dialog');
  await page.getByRole('row').filter({ hasText: receiver.url }).waitFor();
  await assertSound(page);
  await page.getByRole('button', { name: 'Add endpoint' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByLabel('URL').waitFor();
  await page.keyboard.type('https://second.example/hook');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await dialog.getByRole('checkbox', { name: 'Payment failed' }).focus();
  await page.keyboard.press('Space');
  await assertSound(page);
  await page.keyboard.press('Enter');
  const secret = dialog.locator('code');
  assert.match((await secret.textContent()) ?? '', /^whsec_/);
  await dialog.getByRole('button', { name: 'Done' }).focus();
  await page.keyboard.press('Enter');
  const second = page.getByRole('row').filter({ hasText: 'second.example' });
  await second.getByText('Payment failed').waitFor();

  await page
    .getByRole('row')
    .filter({ hasText: receiver.url })
    .getByRole('button', { name: 'Send test', exact: true })
    .click();
  await dialog.getByText('HTTP 200').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(receiver.received.at(-1)?.body.event_type, 'test');

  const choose = async (name: string) => {
    await second.getByText('More').click();
    await second.getByRole('button', { name }).click();
  };
  const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
  /** By keyboard alone: the field has the focus. */
  const confirmByKeyboard = async () => {
    await confirm.waitFor();
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
  };
  await passAnHour();
  await page.reload();
  await choose('Disable');
  await confirmByKeyboard();
  await second.getByText('Disabled', { exact: true }).waitFor();
  const more = second.getByText('More');
  await more.click();
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Delete');
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'More');
  assert.equal(await second.getByRole('button', { name: 'Delete' }).count(), 0);
  await choose('Edit');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'More');
  await choose('Edit');
  await dialog.getByLabel('URL').fill('http://10.0.0.1/');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must be on the internet').waitFor();
  await passAnHour();
  await page.reload();
  await choose('Edit');
  await dialog.getByLabel('URL').fill('https://second.example/v2');
  await page.keyboard.press('Enter');
  await confirm.waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByText('you did not confirm').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await confirmByKeyboard();
  await second.filter({ hasText: '/v2' }).waitFor();

  await passAnHour();
  await page.reload();
  await choose('Rotate');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.getByText('events are signed with both secrets').waitFor();
  await page.keyboard.press('Escape');
  await passAnHour();
  await page.reload();
  await choose('Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await confirmByKeyboard();
  await second.waitFor({ state: 'detached' });
  // A refused URL is answered 400, which the browser reports.
  assert.deepEqual(
    troubles.filter((text) => !text.includes('400')),
    [],
  );
});

test('an operator finds what was given up, resends it, and sees its attempts', {
  skip,
}, async () => {
  await service.database.query({
    text: `update events set state = 'undelivered' where event_type = 'order_completed'`,
  });
  const { page, troubles } = await openAs('operator', '/webhooks');
  assert.equal(await page.getByRole('button', { name: 'Add endpoint' }).count(), 0);
  const events = page.getByRole('table', { name: 'Events, newest order first' });
  await events.getByText('Payment success').waitFor();
  await page.getByLabel('State').selectOption('undelivered');
  await events.getByText('Payment success').waitFor({ state: 'detached' });
  assert.equal(page.url(), `${site}/dashboard/webhooks?state=undelivered`);
  await page.getByRole('button', { name: 'Resend undelivered' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resend' }).click();
  await page.getByText('Resending 1 event.').waitFor();
  await page.getByText('No events').waitFor();
  await page.goBack();
  receiver.clear();
  await page
    .getByRole('row')
    .filter({ hasText: 'Payment success' })
    .getByRole('button', { name: 'Resend', exact: true })
    .dblclick();
  await page.getByText('Resending the event.').first().waitFor();
  await sendDue();
  const types = receiver.received.map((event) => event.body.event_type);
  assert.deepEqual(types.toSorted(), ['order_completed', 'payment_success']);
  await events.getByRole('link', { name: 'Payment success' }).click();
  await page.getByRole('heading', { name: 'Payment success' }).waitFor();
  await page.getByLabel('Body').getByText('asha@example.com').waitFor();
  assert.equal(await page.getByRole('row').filter({ hasText: '200' }).count(), 2);
  await assertSound(page);
  assert.deepEqual(troubles, []);
});

test('on a phone, a viewer sees endpoints, events and a masked body, and no buttons', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('viewer', `/webhooks?endpoint=${endpoint.endpointId}`, {
    width: 390,
    colorScheme: 'dark',
  });
  await page.getByRole('link', { name: 'Payment success' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /Resend|Send test/ }).count(), 0);
  await assertSound(page);
  await page.getByRole('link', { name: 'Payment success' }).click();
  await page.getByLabel('Body').getByText('a***a@example.com').waitFor();
  await assertSound(page);
  assert.deepEqual(troubles, []);
});

test('an operator makes a payment link with its code, one from twice the same form, and cancels it', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('operator', '/orders', { width: 390 });
  await page.getByRole('link', { name: 'New payment link' }).click();
  await page.getByLabel('Amount').fill('0');
  const create = page.getByRole('button', { name: 'Create link' });
  await create.click();
  await page.getByText('Amount must be more than 0.').waitFor();
  await page.getByLabel('Amount').fill('250.00');
  await page.getByLabel('Description').fill('Two packets of tea');
  await page.getByLabel('Expires').selectOption('7');
  await page.getByLabel('Email').fill('asha@example.com');
  await assertSound(page);
  await create.dblclick();
  await page.getByRole('img', { name: 'QR code of the payment link' }).waitFor();
  await assertSound(page);
  const link = await page.locator('code').textContent();
  assert.match(link ?? '', /\/l\/[0-9A-Za-z]{32}$/);
  const href = await page.getByRole('link', { name: 'Open order' }).getAttribute('href');
  assert.match(href ?? '', /\/dashboard\/orders\/o_[0-9A-Za-z]{16}$/);
  const { rows } = await service.database.query({ text: 'select 1 from payment_links' });
  assert.equal(rows.length, 1);
  assert.equal((await fetch(link ?? '', { redirect: 'manual' })).status, 303);

  await page.getByRole('link', { name: 'Open order' }).click();
  await page.getByRole('button', { name: 'Cancel link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this payment link?' });
  await assertSound(page);
  await dialog.getByRole('button', { name: 'Keep link' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Cancel link' }).click();
  await dialog.getByRole('button', { name: 'Cancel link' }).dblclick();
  await page.getByText('Payment link cancelled.').waitFor();
  await page.getByRole('button', { name: 'Cancel link' }).waitFor({ state: 'detached' });
  await assertSound(page);
  const closed = await (await fetch(link ?? '')).text();
  assert.match(closed, /This payment link was cancelled/);
  assert.deepEqual(
    troubles.filter((text) => !text.includes('400')),
    [],
  );
});

async function passAnHour(): Promise<void> {
  await service.database.query({
    text: `update sessions set confirmed_at = confirmed_at - interval '1 hour'`,
  });
}

/** As the service does in the background. */
async function sendDue(): Promise<void> {
  const deliveries = createEventDeliveries(service.services);
  await deliveries.startDue();
  await deliveries.stop();
}
