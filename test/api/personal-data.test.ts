/** Personal data at rest: bank accounts are sealed, and the history stores consumers masked. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import { createServices } from '../../src/process/create-services.ts';
import { consumerDataKeyOf, openBankAccount } from '../../src/services/consumer-data-key.ts';
import { rewrapSecrets } from '../../src/use-cases/accounts/rotate-keys.ts';
import { fullOrderBody } from '../support/order-bodies.ts';
import { checkingAccounts } from '../support/test-account.ts';
import { dumpTables } from '../support/test-database.ts';
import { type Reply, type TestAccount, testMasterKeyHex } from '../support/test-service.ts';
import { assertRefused } from './assertions.ts';
import { assertInvariants, type CreatedOrder, openShop } from './webhooks/shop.ts';

const shop = await openShop(checkingAccounts);
const { service, account } = shop;
const { database, services } = service;
const sent = { account_number: '50100123456789', name: 'Asha Q Rao', ifsc: 'HDFC0009876' };
const bankAccount = { accountNumber: '50100123456789', name: 'Asha Q Rao', ifsc: 'HDFC0009876' };

test('a dump of the database holds no bank account in clear', async () => {
  const body = fullOrderBody({ bank_account: sent });
  const order = await create(body);
  await update({ order_id: order.order_id, description: 'Changed' });
  await assertNowhere(Object.values(sent));
  assert.deepEqual(await openStored(order), bankAccount);
});

test('the sealed bank account opens for its own order only', async () => {
  const [one, two] = [await create(fullOrderBody()), await create(fullOrderBody())];
  const key = await keyOf(account);
  const sealed = String((await rowOf(one)).details.bankAccount);
  assert.deepEqual(openBankAccount(key, one.order_id, sealed).name, 'Asha Rao');
  assert.throws(() => openBankAccount(key, two.order_id, sealed));
});

test('a new master key leaves orders unchanged and opens their sealed data without the old one', async () => {
  const order = await create(fullOrderBody({ bank_account: sent }));
  const before = await rowOf(order);
  const newKey = '17'.repeat(32);
  const settings = services.settings;
  const keys = { masterKeyHex: newKey, otherMasterKeysHex: [testMasterKeyHex] };
  await rewrapSecrets(createServices({ database, settings, ...keys }), commandLine);
  assert.deepEqual(await rowOf(order), before);
  const alone = createServices({ database, settings, masterKeyHex: newKey });
  const key = consumerDataKeyOf(await alone.accounts.get(account.accountId));
  assert.deepEqual(openBankAccount(key, order.order_id, before.details.bankAccount), bankAccount);
  const back = { masterKeyHex: testMasterKeyHex, otherMasterKeysHex: [newKey] };
  await rewrapSecrets(createServices({ database, settings, ...back }), commandLine);
});

test('a repeated create returns the same order, and another bank account is different content', async () => {
  const body = fullOrderBody({ bank_account: sent });
  const { order_id } = await create(body);
  const again = await post(body);
  assert.deepEqual([again.status, again.body.order_id], [200, order_id]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  const other = await post({
    ...body,
    bank_account: { ...sent, account_number: '50100123456780' },
  });
  assertRefused(other, 'DUPLICATE_INVOICE_ID', 'other content');
});

test('the stored digest of the content cannot be guessed without the key of the account', async () => {
  const stranger = await service.createAccount(checkingAccounts);
  const withBank = fullOrderBody({ bank_account: sent });
  const digestFor = async (body: Record<string, unknown>, token?: string) =>
    (await rowOf((await post(body, token)).body)).content_digest.toString('hex');
  assert.notEqual(await digestFor(withBank), await digestFor(withBank, stranger.token));
  const without = fullOrderBody({ bank_account: undefined });
  assert.equal(await digestFor(without), await digestFor(without, stranger.token));
});

test('the history stores a consumer masked and records what changed', async () => {
  const order = await shop.createOrder({ user: person });
  const { order_id } = order;
  await update({
    order_id,
    user: { email: 'zoya.k@example.net', last_name: 'Khan', mobile_number: '9123456780' },
    shipping_address: { address_1: '7 Rose Villa', city: 'Pune', pincode: '411001' },
  });
  const [row] = await shop.listHistory(order);
  const changes = Object.fromEntries((row?.changes ?? []).map((change) => [change.field, change]));
  assert.deepEqual(changes.user, {
    field: 'user',
    from: {
      email: 'p***i@example.net',
      firstName: 'P***',
      lastName: 'S***',
      countryCode: '+91',
      mobileNumber: '******9911',
    },
    to: {
      email: 'z***k@example.net',
      firstName: 'P***',
      lastName: 'K***',
      countryCode: '+91',
      mobileNumber: '******6780',
    },
  });
  assert.deepEqual(changes.shippingAddress, {
    field: 'shippingAddress',
    from: { city: 'Bengaluru', pincode: '560001' },
    to: { city: 'Pune', pincode: '411001' },
  });
  await assertNowhere(['priti.savani', '9988779911', 'Savani']);
});

test('a change that masking hides is still a row of history', async () => {
  const order = await shop.createOrder({ user: person });
  const { order_id } = order;
  await update({ order_id, user: { last_name: 'Shah' } });
  await update({ order_id, shipping_address: { address_1: '13 MG Road', city: 'Pune' } });
  await update({ order_id, shipping_address: { address_1: '14 MG Road', city: 'Pune' } });
  await update({ order_id, shipping_address: { address_1: '14 MG Road', city: 'Pune' } });
  const history = await shop.listHistory(order);
  assert.deepEqual(
    history.map(({ changes }) => changes.map(({ field }) => field)),
    [['user'], ['shippingAddress'], ['shippingAddress']],
  );
  assert.deepEqual(history[2]?.changes[0]?.from, history[2]?.changes[0]?.to);
});

test('changes by resolve-user are masked too', async () => {
  const order = await shop.createOrder({ user: person });
  const { order_id } = order;
  const body = { order_id, mobile_number: '9100000017', email: 'kavya@example.net' };
  assert.equal(
    (await service.call('/api/v3/resolve-user', { token: account.token, body })).status,
    200,
  );
  const changes = (await shop.listHistory(order)).flatMap((entry) => entry.changes);
  const user = changes.find(({ field }) => field === 'user');
  assert.deepEqual(user?.to, {
    email: 'k***a@example.net',
    countryCode: '+91',
    mobileNumber: '******0017',
  });
});

test('the invariants hold after all of this', () => assertInvariants(shop));

const person = {
  email: 'priti.savani@example.net',
  first_name: 'Priti',
  last_name: 'Savani',
  mobile_number: '9988779911',
};

function post(body: unknown, token = account.token): Promise<Reply> {
  return service.call('/api/v3/create-order', { token, body });
}

async function create(body: Record<string, unknown>): Promise<CreatedOrder> {
  const reply = await post(body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function update(body: Record<string, unknown>): Promise<void> {
  const reply = await service.call('/api/v3/update-order', { token: account.token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

type Row = {
  // biome-ignore lint/suspicious/noExplicitAny: stored rows are asserted field by field
  readonly details: Record<string, any>;
  readonly content_digest: Buffer;
};

async function rowOf({ order_id }: Pick<CreatedOrder, 'order_id'>): Promise<Row> {
  const { rows } = await database.query<Row>({
    text: 'select * from orders where order_id = $1',
    values: [order_id],
  });
  assert.ok(rows[0]);
  return rows[0];
}

async function keyOf({ accountId }: TestAccount) {
  return consumerDataKeyOf(await services.accounts.get(accountId));
}

async function openStored(order: CreatedOrder) {
  const { details } = await rowOf(order);
  return openBankAccount(await keyOf(account), order.order_id, details.bankAccount);
}

/** Asserts that no column contains the value, as text or as bytes. */
async function assertNowhere(values: readonly string[]): Promise<void> {
  const dump = JSON.stringify(await dumpTables(database));
  for (const value of values) {
    assert.equal(dump.includes(value), false, value);
    assert.equal(dump.includes(Buffer.from(value).toString('hex')), false, value);
  }
}
