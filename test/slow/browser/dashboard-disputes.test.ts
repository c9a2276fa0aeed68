/** Disputes in a real browser: the list, the evidence on screen, on paper and as text, and the page of the order. Contract 17.6. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { disputeEvent, disputeRecord } from '../../api/disputes/dispute-shop.ts';
import { shopOf } from '../../api/webhooks/shop.ts';
import { noBrowser } from '../../support/browser.ts';
import { assertSound, dashboardPages } from '../../support/dashboard-page.ts';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { fullOrderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const skip = noBrowser;
const service = await startTestService({ port: await findFreePort() });
const shop = shopOf(service, await service.createAccount({ name: 'Tea shop' }));
const { site, openAs } = dashboardPages(service, shop.account.accountId);

const hours = (count: number) => Math.floor(Date.now() / 1_000) + count * 3_600 + 1_800;
const arn = '74537604221222132710984';

/** An order whose payment is disputed, and whose dispute ends in this state. */
async function disputed(invoice_id: string, changes: Record<string, unknown>, end?: string) {
  const order = await shop.createOrder(fullOrderBody({ invoice_id, bank_account: undefined }));
  const payment = partnerPayment({
    notes: { svc_order_id: order.order_id },
    acquirer_data: { arn },
  });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const record = disputeRecord(payment, changes);
  await shop.sendPartner(disputeEvent('created', record));
  const ended = { ...record, status: end, amount_deducted: end === 'lost' ? record.amount : 0 };
  if (end !== undefined) await shop.sendPartner(disputeEvent(end, ended, 60));
  return { orderId: order.order_id, disputeId: String(record.id) };
}

type Disputed = Awaited<ReturnType<typeof disputed>>;
let soon: Disputed;
let whole: Disputed;
before(async () => {
  await disputed('TEA-1', { phase: 'fraud' }, 'won');
  await disputed('TEA-2', {}, 'lost');
  whole = await disputed('TEA-3', { respond_by: hours(24 * 9) });
  await disputed('TEA-4', { respond_by: hours(-9) }, 'under_review');
  soon = await disputed('TEA-5', { respond_by: hours(50), amount: 5_900 });
});

test('the overview leads to the disputes, nearest deadline first, and a filter by keyboard', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('viewer', '/');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText('₹177.00').waitFor();
  await attention.getByText('50 hours left').waitFor();
  await attention.getByRole('link', { name: '2 disputes to answer' }).click();
  await page.waitForURL(`${site}/dashboard/disputes`);
  const rows = page.getByRole('row');
  await rows.nth(5).waitFor();
  const texts = await rows.allTextContents();
  // The deadline of TEA-4 has passed while the bank decides.
  assert.deepEqual(
    texts.slice(1).map((text) => /TEA-\d/.exec(text)?.[0]),
    ['TEA-4', 'TEA-5', 'TEA-3', 'TEA-2', 'TEA-1'],
  );
  assert.match(
    texts[2] ?? '',
    /The goods did not arrive.*₹59\.00.*Chargeback.*Open.*50 hours left/s,
  );
  assert.equal(await page.locator('tbody .deadline.urgent').count(), 1);
  await page.getByText('50%').waitFor();
  await page.getByText('1 of 2 decisions').waitFor();
  await assertSound(page);
  await page.getByLabel('Status').focus();
  await page.keyboard.press('W');
  await page.waitForURL(`${site}/dashboard/disputes?status=won`);
  await page.getByRole('row').filter({ hasText: 'TEA-1' }).waitFor();
  await page.getByLabel('Currency').selectOption('USD');
  await page.getByText('No disputes match').waitFor();
  assert.deepEqual(troubles, []);
});

test('the page of the order says what to do until when, and why less can be refunded', {
  skip,
}, async () => {
  const { page, troubles } = await openAs('operator', `/orders/${soon.orderId}`);
  const banner = page.getByRole('list', { name: 'Disputes to answer' });
  await banner.getByText('The consumer disputes ₹59.00.').waitFor();
  await banner.getByText('50 hours left').waitFor();
  await page.getByText('without what disputes claim').waitFor();
  await assertSound(page);
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund a payment' });
  assert.equal(await dialog.getByLabel('Amount').inputValue(), '59.00');
  await dialog.getByText('₹59.00 more is disputed: a refund of it would lose it twice.').waitFor();
  await page.keyboard.press('Escape');
  await banner.getByRole('link', { name: 'Evidence for the answer' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${site}/dashboard/disputes/${soon.disputeId}`);
  await page.getByRole('heading', { name: 'Evidence: order TEA-5' }).waitFor();
  await page.goto(`${site}/dashboard/orders/${whole.orderId}`);
  await page.getByText('Nothing can be refunded: a dispute claims the rest').waitFor();
  await page.goto(`${site}/dashboard/orders?disputed=yes`);
  await page.getByRole('row').nth(4).waitFor();
  assert.equal(await page.locator('tbody').getByText('Disputed', { exact: true }).count(), 4);
  await page.goto(`${site}/dashboard/review`);
  const item = page.getByRole('row').filter({ hasText: '₹59.00' });
  await item.getByText('50 hours left').waitFor();
  await item.getByRole('link', { name: 'Evidence' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Resolve' }).count(), 0);
  await assertSound(page);
  assert.deepEqual(troubles, []);
});

test('evidence is a page for the screen, for paper and as text', { skip }, async () => {
  const path = `/disputes/${soon.disputeId}`;
  const { page, troubles } = await openAs('operator', path);
  await page.getByRole('heading', { name: 'Disputed payment' }).waitFor();
  for (const text of [arn, 'asha@example.com', '12 Home Lane', '203.0.113.7', '2 × Tea']) {
    await page.locator('.evidence').getByText(text).first().waitFor();
  }
  await page.getByText('Payment of 118.00 INR succeeded.').waitFor();
  await assertSound(page);
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download as text' }).click();
  assert.equal((await downloading).suggestedFilename(), 'evidence.txt');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const gone of ['nav.menu', '.buttons', '.order-trail', '.advice', '.deadline strong']) {
    assert.equal(await page.locator(gone).first().isVisible(), false, gone);
  }
  const colours = await page.evaluate<string[]>(
    "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.querySelector('.evidence .card')))",
  );
  assert.deepEqual(colours, ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
  assert.deepEqual(troubles, []);
});

test('a viewer on a phone reads all pages, and the evidence with personal data masked', {
  skip,
}, async () => {
  const look = { width: 390, colorScheme: 'dark' } as const;
  const { page, troubles } = await openAs('viewer', '/disputes', look);
  await page.getByRole('link', { name: 'The goods did not arrive.' }).first().waitFor();
  await assertSound(page);
  await page.goto(`${site}/dashboard/disputes/${soon.disputeId}`);
  await page.getByText(arn).waitFor();
  assert.doesNotMatch(
    (await page.locator('.evidence').textContent()) ?? '',
    /asha@example|Asha|9876543210|Home Lane|203\.0\.113/,
  );
  await assertSound(page);
  await page.goto(`${site}/dashboard/orders/${soon.orderId}`);
  await page.getByText('The consumer disputes ₹59.00.').waitFor();
  await assertSound(page);
  await page.goto(`${site}/dashboard/disputes/disp_none`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  // The browser itself reports the reply 404.
  assert.deepEqual(
    troubles.filter((text) => !text.includes('404')),
    [],
  );
});

test('a shop without disputes is told so in a sentence', { skip }, async () => {
  const quiet = await service.createAccount({ name: 'Quiet shop' });
  const { page } = await dashboardPages(service, quiet.accountId).openAs('owner', '/disputes');
  await page.getByText('Nobody has disputed a payment').waitFor();
  await assertSound(page);
});
