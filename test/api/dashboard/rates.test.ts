/** Exchange rates: one that is far from the former one is repeated, whoever sets it and however. Contract 13.9. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, type Person } from '../../support/dashboard.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

type Rate = { from: string; to: string; rate: string; confirmed_rate?: string };

const service = await startTestService();
const unconfirmed = [409, 'RATE_NOT_CONFIRMED'];

test('the first rate of a currency, and one within a factor of two, are set at once', async () => {
  const { owner } = await openShop();
  for (const rate of ['83.25', '166.5', '83.25', '41.625', '60']) {
    assert.equal((await set(owner, usd(rate))).status, 200, rate);
  }
});

test('a rate beyond a factor of two is refused until it is repeated, and changes nothing', async () => {
  const { owner, shop } = await openShop('83.25');
  const before = await auditOf(service, shop.accountId);
  for (const rate of ['166.500001', '41.62', '0.0001', '8325', '832500000000000000000000']) {
    const reply = await set(owner, usd(rate));
    assert.deepEqual(codeOf(reply), unconfirmed, rate);
    const message = reply.body.error.svc_merchant_message;
    assert.ok(message.includes(`USD:INR:${rate}`) && message.includes('USD:INR:83.25'), message);
    assert.match(message, /repeat .* in confirmed_rate/);
  }
  const other = await set(owner, { ...usd('8.325'), confirmed_rate: '83.25' });
  assert.deepEqual(codeOf(other), [400, 'INVALID_REQUEST_PARAMETER']);
  assert.deepEqual(await ratesOf(owner), ['USD:INR:83.25']);
  assert.deepEqual(await auditOf(service, shop.accountId), before);
  const repeated = await set(owner, { ...usd('8.325'), confirmed_rate: '8.3250' });
  assert.equal(repeated.status, 200, JSON.stringify(repeated.body));
  assert.deepEqual(repeated.body.alternate_currencies, [usd('8.325')]);
});

test('a repeated rate is checked against its rate, whether or not it is needed', async () => {
  const { owner } = await openShop('83.25');
  const needless = await set(owner, { ...usd('84'), confirmed_rate: '85' });
  assert.match(needless.body.error.svc_merchant_message, /confirmed_rate/);
  assert.equal(needless.status, 400);
  assert.equal((await set(owner, { ...usd('84'), confirmed_rate: '84' })).status, 200);
});

test('a rate that is removed and added again is compared with the removed one', async () => {
  const { owner } = await openShop('83.25');
  assert.equal((await set(owner)).status, 200);
  // A change of something else in between forgets nothing.
  await owner.send('PATCH', '/settings', { name: 'Renamed' });
  assert.deepEqual(codeOf(await set(owner, usd('0.0001'))), unconfirmed);
  assert.deepEqual(await ratesOf(owner), []);
  const { former_rates } = (await owner.get('/settings')).body;
  assert.deepEqual(former_rates, [usd('83.25')]);
  assert.equal((await set(owner, usd('90'))).status, 200);
});

test('a rate into another currency has nothing to be compared with, so it is repeated, and so is the way back', async () => {
  const { owner } = await openShop('83.25');
  const euro = { from: 'USD', to: 'EUR', rate: '0.9' };
  assert.deepEqual(codeOf(await set(owner, euro)), unconfirmed);
  assert.equal((await set(owner, { ...euro, confirmed_rate: '0.9' })).status, 200);
  assert.deepEqual(codeOf(await set(owner, usd('0.0001'))), unconfirmed);
  await set(owner);
  assert.deepEqual(codeOf(await set(owner, usd('83.25'))), unconfirmed);
});

test('each currency has a rate of its own', async () => {
  const { owner } = await openShop('83.25');
  const euro = { from: 'EUR', to: 'INR', rate: '0.01' };
  assert.equal((await set(owner, usd('83.25'), euro)).status, 200);
  assert.deepEqual(codeOf(await set(owner, usd('83.25'), { ...euro, rate: '90' })), unconfirmed);
});

test('the command line meets the same guard', async () => {
  const { shop, owner } = await openShop('83.25');
  const update = (rate: Rate & { confirmedRate?: string }) =>
    updateAccount(
      service.services,
      shop.accountId,
      () => ({ alternateCurrencies: [rate] }),
      commandLine,
    );
  await assert.rejects(update(usd('0.0001')), { code: 'RATE_NOT_CONFIRMED' });
  await update({ ...usd('0.0001'), confirmedRate: '0.0001' });
  assert.deepEqual(await ratesOf(owner), ['USD:INR:0.0001']);
});

test('of changes at the same time, none goes beyond a factor of two from what the others left', async () => {
  const { owner } = await openShop('80');
  const rates = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? '150' : '45'));
  const replies = await Promise.all(rates.map((rate) => set(owner, usd(rate))));
  const accepted = rates.filter((_, index) => replies[index]?.status === 200);
  const [first] = accepted;
  assert.deepEqual(new Set(accepted), new Set([first]), 'from 80 to 150 or to 45, and no further');
  assert.equal(replies.filter((reply) => codeOf(reply)[0] === 409).length, 10);
  assert.deepEqual(await ratesOf(owner), [`USD:INR:${first}`]);
});

test('the log has each rate with the one before it', async () => {
  const { owner, shop } = await openShop('83.25');
  await set(owner, usd('84'), { from: 'EUR', to: 'INR', rate: '90' });
  await set(owner, { from: 'EUR', to: 'INR', rate: '90' });
  const entries = (await auditOf(service, shop.accountId)).slice(-2);
  assert.deepEqual(
    entries.map(({ details }) => details),
    [
      {
        changed: ['alternateCurrencies'],
        rates: ['USD:INR:83.25 to USD:INR:84', 'none to EUR:INR:90'],
      },
      { changed: ['alternateCurrencies'], rates: ['USD:INR:84 to none'] },
    ],
  );
});

test('an order of 5,000 USD is not charged as 0.50 INR by one call of a session', async () => {
  const { owner, shop } = await openShop('83.25');
  assert.equal((await set(owner, usd('0.0001'))).status, 409);
  const body = orderBody({
    currency: 'USD',
    amount_before_tax: 5_000,
    tax: 0,
    total_amount: 5_000,
  });
  const { body: order } = await service.call('/api/v3/create-order', { token: shop.token, body });
  assert.deepEqual([order.currency, order.total_amount], ['INR', 416_250]);
});

function usd(rate: string): Rate {
  return { from: 'USD', to: 'INR', rate };
}

async function openShop(rate?: string) {
  const shop = await service.createAccount(rate ? { alternateCurrencies: [usd(rate)] } : {});
  return { shop, owner: await join(service, shop.accountId, 'owner') };
}

function set(person: Person, ...alternate_currencies: Rate[]) {
  return person.send('PATCH', '/settings', { alternate_currencies });
}

async function ratesOf(person: Person): Promise<string[]> {
  const { alternate_currencies } = (await person.get('/settings')).body;
  return alternate_currencies.map(({ from, to, rate }: Rate) => [from, to, rate].join(':'));
}
