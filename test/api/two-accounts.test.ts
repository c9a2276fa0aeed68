import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressBody, fullOrderBody, orderBody } from '../support/order-bodies.ts';
import { checkingAccounts } from '../support/test-account.ts';
import { dumpTables } from '../support/test-database.ts';
import { startTestService } from '../support/test-service.ts';
import { assertRefused } from './assertions.ts';
import { listRoutes, requestTo } from './routes.ts';

const service = await startTestService();
const [owner, stranger] = [
  await service.createAccount(checkingAccounts),
  await service.createAccount(),
];
const routes = await listRoutes(service);

/** Texts that occur only in the owner's orders. */
const ownWords = { mail: 'owner-only@example.com', name: 'Ownername', tag: 'Ownerplace' };
const owned = [await createOwned('owned-1'), await createOwned('owned-2')];
const { body: strangersOrder } = await service.call('/api/v3/create-order', {
  token: stranger.token,
  body: orderBody({ invoice_id: 'shared' }),
});

test("another account's ids answer 404, never 403", async () => {
  for (const token of [stranger.token, strangersOrder.token]) {
    for (const { order_id, invoice_id } of owned) {
      const byOrder = await service.call(`/api/v3/order?order_id=${order_id}`, { token });
      assertRefused(byOrder, 'ORDER_NOT_FOUND');
      const byInvoice = await service.call(`/api/v3/order?invoice_id=${invoice_id}`, { token });
      assertRefused(byInvoice, 'INVOICE_NOT_FOUND');
    }
  }
});

test('with the tokens of one account no call reads or changes anything of another', async () => {
  const before = await rowsOf(owner.accountId);
  const call = fc.record({
    route: fc.constantFrom(...routes),
    token: fc.constantFrom(stranger.token, strangersOrder.token as string),
    fields: fc.record(
      {
        order_id: fc.constantFrom(owned[0]?.order_id, owned[1]?.order_id),
        invoice_id: fc.constantFrom('owned-1', 'owned-2', 'shared'),
        transaction_id: fc.constantFrom(`${owned[0]?.order_id}-260101000000`),
        account_id: fc.constant(owner.accountId),
        sub: fc.constant(owner.accountId),
        access_key: fc.constant(owner.accessKey),
        access_secret: fc.constant(stranger.accessSecret),
        refresh_token: fc.constantFrom(strangersOrder.refresh_token, stranger.token),
        description: fc.string({ maxLength: 10 }),
      },
      { requiredKeys: [] },
    ),
    withOrder: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(call, async ({ route, token, fields, withOrder }) => {
      const { target, method, body } = requestTo(route, {
        ...(withOrder && orderBody()),
        ...fields,
      });
      const reply = await service.call(target, {
        method,
        token,
        body,
        headers: { 'x-account-id': owner.accountId },
      });
      assert.ok(reply.status < 500, JSON.stringify(reply.body));
      const text = JSON.stringify(reply.body);
      for (const secret of [
        ...Object.values(ownWords),
        ...owned.map(({ order_id }) => order_id),
        ...owned.map(({ user }) => user.user_id),
        owner.accountId,
      ]) {
        assert.equal(text.includes(secret), false, `${method} ${target} shows ${secret}`);
      }
    }),
    { numRuns: 300 },
  );
  assert.deepEqual(await rowsOf(owner.accountId), before);
});

test('the same invoice in two accounts makes two orders, each visible to its own account only', async () => {
  const invoice_id = 'of-both';
  const mine = await service.call('/api/v3/create-order', {
    token: owner.token,
    body: orderBody({ invoice_id, description: 'mine' }),
  });
  const theirs = await service.call('/api/v3/create-order', {
    token: stranger.token,
    body: orderBody({ invoice_id, description: 'theirs' }),
  });
  assert.deepEqual([mine.status, theirs.status], [200, 200]);
  assert.equal(theirs.headers.get('idempotent-replayed'), null);
  assert.notEqual(mine.body.order_id, theirs.body.order_id);
  for (const [token, { order_id }] of [
    [owner.token, mine.body],
    [stranger.token, theirs.body],
  ] as const) {
    const got = await service.call(`/api/v3/order?invoice_id=${invoice_id}`, { token });
    assert.equal(got.body.order_id, order_id);
  }
});

type Owned = { order_id: string; invoice_id: string; user: { user_id: string } };

async function createOwned(invoice_id: string): Promise<Owned> {
  const body = fullOrderBody({
    invoice_id,
    user: { email: ownWords.mail, first_name: ownWords.name, mobile_number: '9000000001' },
    shipping_address: addressBody(ownWords.tag),
  });
  return (await service.call('/api/v3/create-order', { token: owner.token, body })).body;
}

async function rowsOf(accountId: string): Promise<Record<string, unknown[]>> {
  const tables = await dumpTables(service.database);
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [
      name,
      rows.filter((row) => (row as { account_id?: string }).account_id === accountId),
    ]),
  );
}
