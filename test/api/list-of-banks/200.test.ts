import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply, TestAccount } from '../../support/test-service.ts';
import { lists } from './lists.ts';

const { service, shop, openShop, initiate } = await startJourney();

for (const { path, code, mode, listName } of lists) {
  test(`${path} lists codes and names, with either token, and changes nothing`, async () => {
    const created = await create(shop);
    const before = await dumpTables(service.database);
    for (const token of [shop.token, created.token]) {
      const { status, body } = await list(path, created.order_id, token);
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(Object.keys(body), ['items', listName]);
      assert.ok(body.items.length > 5);
      for (const item of body.items) {
        assert.deepEqual(Object.keys(item), [code, 'name']);
        assert.match(item[code], /^[\w-]{2,32}$/);
        assert.match(item.name, /\S/);
      }
      const codes = body.items.map((item: Record<string, string>) => item[code]);
      assert.equal(new Set(codes).size, codes.length, 'no code is there twice');
      const names = body.items.map(({ name }: { name: string }) => name);
      assert.deepEqual(
        names,
        names.toSorted((a: string, b: string) => a.localeCompare(b, 'en')),
      );
    }
    assert.deepEqual(await dumpTables(service.database), before, 'nothing is changed by looking');
  });

  test(`each code of ${path} starts a payment, and so does one that is not listed`, async () => {
    const { order_id } = await create(shop);
    const { body } = await list(path, order_id, shop.token);
    const codes = body.items.map((item: Record<string, string>) => item[code]);
    for (const chosen of [codes[0], codes.at(-1), 'NEW_ONE']) {
      const started = await initiate((await create(shop)).order_id, mode, { [code]: chosen });
      assert.equal(started.status, 200, JSON.stringify(started.body));
    }
  });

  test(`${path} is empty where the account does not offer ${mode}`, async () => {
    const { paymentModes } = await service.services.accounts.get(shop.accountId);
    const { [mode]: _off, ...others } = paymentModes;
    const settings: Parameters<typeof openShop>[0][] = [
      { paymentModes: others },
      { paymentModes: {} },
      { providerApis: {} },
      { apiSecrets: { 'bank-gateway-password': 'x' } },
      // The bank gateway lets its consumers choose on its own page.
      { paymentModes: { ...paymentModes, [mode]: 'bank-gateway' } },
    ];
    for (const changes of settings) {
      const account = await openShop(changes);
      const { order_id } = await create(account);
      const { status, body } = await list(path, order_id, account.token);
      const empty = { items: [], [listName]: [] };
      assert.deepEqual([status, body], [200, empty], JSON.stringify(changes));
    }
  });

  test(`${path} lists the same under the names of older clients. Contract 19.1`, async () => {
    const { order_id } = await create(shop);
    const { body } = await list(path, order_id, shop.token);
    const isBank = listName === 'bank_list';
    const expected = body.items.map((item: Record<string, string>) => ({
      [isBank ? 'bank_name' : 'wallet_name']: item.name,
      code: item[code],
      logo: '',
      ...(isBank && { health_status: 'up' }),
      next: '',
    }));
    assert.deepEqual(body[listName], expected);
  });

  test(`${path} needs no order id with an order token, and no order with an amount. Contract 19.1`, async () => {
    const { order_id, token } = await create(shop);
    const { body: expected } = await list(path, order_id, shop.token);
    const amount = { total_amount: '118.00', currency: 'INR' };
    for (const [given, body] of [
      [token, undefined],
      [token, {}],
      [token, amount],
      [shop.token, amount],
      [shop.token, { ...amount, order_id: '', total_amount: 118 }],
    ]) {
      const reply = await service.call(path, { token: given, method: 'POST', body });
      assert.deepEqual([reply.status, reply.body], [200, expected], JSON.stringify(body));
    }
  });

  test(`${path} accepts a sealed body`, async () => {
    const account = await openShop({ encryptedPayloads: true });
    const { order_id } = await create(account);
    const encrypted_payload = sealPayload(JSON.stringify({ order_id }), account.accessSecret);
    const reply = await service.call(path, { token: account.token, body: { encrypted_payload } });
    const opened = openPayload(reply.body.encrypted_response, account.accessSecret);
    const plain = await list(path, order_id, account.token);
    assert.deepEqual(JSON.parse(String(opened)), plain.body);
  });
}

test('the banks are those of the partner, with its own codes', async () => {
  const { order_id } = await create(shop);
  const banks = (await list('/api/v3/list-of-banks', order_id, shop.token)).body.items;
  for (const [bank_code, name] of [
    ['HDFC', 'HDFC Bank'],
    ['SBIN', 'State Bank of India'],
    ['ICIC', 'ICICI Bank'],
    ['UTIB', 'Axis Bank'],
    ['KKBK', 'Kotak Mahindra Bank'],
    ['PUNB_R', 'Punjab National Bank'],
  ]) {
    assert.ok(
      banks.some((bank: object) => isSame(bank, { bank_code, name })),
      bank_code,
    );
  }
  const wallets = (await list('/api/v3/list-of-wallets', order_id, shop.token)).body.items;
  assert.ok(
    wallets.some((wallet: object) => isSame(wallet, { wallet_code: 'mobikwik', name: 'MobiKwik' })),
  );
});

function isSame(left: object, right: object): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

async function create(account: Pick<TestAccount, 'token'>): Promise<Reply['body']> {
  const { token } = account;
  return (await service.call('/api/v3/create-order', { token, body: orderBody() })).body;
}

function list(path: string, order_id: string, token: string): Promise<Reply> {
  return service.call(path, { token, body: { order_id } });
}
