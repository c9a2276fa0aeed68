/** What the address of the checkout page chooses, and that nothing else of the page follows from it. Contract 14.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueOrderToken } from '../../../src/use-cases/orders/order-tokens.ts';
import { newBrowser } from '../../../tools/harness/plain-browser.ts';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';

const { service, shop, openShop, createOrder } = await startJourney();
const { accountId } = shop;
type OrderOf = { readonly accountId: string; readonly orderId: string };
const order: OrderOf = { accountId, orderId: await createOrder() };
const plain = await openAt('');

const chosen: [query: string, checked: string[]][] = [
  ['payment_mode_code=net_banking&bank_code=HDFC', ['net_banking', 'HDFC']],
  ['payment_mode_code=NetBanking', ['net_banking']],
  ['payment_mode_code=card', ['credit_card']],
  ['payment_mode_code=Debit%20Card', ['debit_card']],
  ['payment_mode_code=wallet&bank_code=NONE', ['wallet']],
  ['bank_code=HDFC', ['upi', 'HDFC']],
];
for (const [query, checked] of chosen) {
  test(`the page opened with ${query} has that chosen, and is the same otherwise`, async () => {
    const page = await openAt(`&${query}`);
    assert.deepEqual(checkedIn(page), checked);
    assert.equal(page.replaceAll(' checked', ''), plain.replaceAll(' checked', ''));
  });
}

const ignored = [
  'payment_mode_code=cash&bank_code=%3Cscript%3E',
  'payment_mode_code=upi&payment_mode_code=wallet',
  'bank_code=NONE&theme=dark',
  'payment_mode_code=&bank_code=',
  'payment_mode_code=constructor',
];
for (const query of ignored) {
  test(`the page opened with ${query} is the same as without`, async () => {
    assert.equal(await openAt(`&${query}`), plain);
  });
}

test('a mode that the account does not offer is ignored', async () => {
  const cards = await openShop({ paymentModes: { credit_card: 'bank-gateway' } });
  const { token } = cards;
  const created = await service.call('/api/v3/create-order', { token, body: orderBody() });
  const other = { accountId: cards.accountId, orderId: created.body.order_id };
  const page = await openAt('&payment_mode_code=wallet', other);
  assert.deepEqual(checkedIn(page), ['credit_card']);
  assert.equal(page, await openAt('', other));
});

async function openAt(query: string, { accountId, orderId }: OrderOf = order): Promise<string> {
  const { token } = await issueOrderToken(service.services, {
    accountId,
    orderId,
    userId: null,
    restricted: false,
  });
  const browser = newBrowser(service);
  const home = await browser.get(`/?token=${token}${query}`);
  const opened = await browser.get(`/${home.location}`);
  assert.equal(opened.status, 303);
  const location = opened.location ?? '';
  assert.ok(location.startsWith(`/checkout/${orderId}`), location);
  assert.doesNotMatch(location, /token|script|theme/);
  const page = await browser.get(location);
  assert.equal(page.status, 200);
  // These are other ones for every token and every reply.
  return page.text.replaceAll(/nonce="[^"]*"|name="form_key" value="[^"]*"/g, '');
}

function checkedIn(page: string): (string | undefined)[] {
  return [...page.matchAll(/value="([^"]*)"(?: required)? checked/g)].map(([, value]) => value);
}
