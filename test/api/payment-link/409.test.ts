/** An invoice has one order, whichever call makes it. Contract 3.5 and 14.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
const later = new Date(Date.now() + 31 * 86_400_000).toISOString();

test('the same invoice with other content is refused, and changes nothing', async () => {
  const body = orderBody({ expires_at });
  assert.equal((await link(body)).status, 200);
  const before = await dumpTables(service.database);
  for (const changes of [
    { description: 'Something else' },
    { expires_at: later },
    { expires_at: undefined },
  ]) {
    const reply = await link({ ...body, ...changes });
    assertRefused(reply, 'DUPLICATE_INVOICE_ID', `${body.invoice_id} has an order with other`);
    assert.equal(reply.headers.get('idempotent-replayed'), null);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('create order ignores expires_at, so it is other content than that of a link with one', async () => {
  const body = orderBody({ expires_at });
  assert.equal((await link(body)).status, 200);
  assertRefused(await create(body), 'DUPLICATE_INVOICE_ID', 'other content');
});

test('no link with a time of its own is added to an order of create order', async () => {
  const body = orderBody();
  assert.equal((await create(body)).status, 200);
  const before = await dumpTables(service.database);
  assertRefused(await link({ ...body, expires_at }), 'DUPLICATE_INVOICE_ID', 'other content');
  assert.deepEqual(await dumpTables(service.database), before);
});

/** Last in this file: it moves the clock. */
test('the invoice of an expired link is taken for ever', async () => {
  const short = orderBody({ expires_at: new Date(Date.now() + 86_400_000).toISOString() });
  const long = orderBody({ expires_at });
  const unset = orderBody();
  for (const body of [short, long, unset]) assert.equal((await link(body)).status, 200);
  service.advanceSeconds(24 * 3600);
  const sent = { ...short, expires_at: undefined };
  assertRefused(await link(sent, await freshToken()), 'DUPLICATE_INVOICE_ID', 'other content');
  assert.equal((await link(long, await freshToken())).status, 200);
  service.advanceSeconds(29 * 86_400);
  const before = await dumpTables(service.database);
  const past = await link(long, await freshToken());
  assertRefused(past, 'INVALID_REQUEST_PARAMETER', 'expires_at must be in the future');
  const without = await link({ ...long, expires_at: undefined }, await freshToken());
  assertRefused(without, 'DUPLICATE_INVOICE_ID', 'other content');
  assert.deepEqual(await dumpTables(service.database), before);
  assert.equal((await link(unset, await freshToken())).status, 200);
  service.advanceSeconds(60 * 86_400);
  assertRefused(await link(unset, await freshToken()), 'DUPLICATE_INVOICE_ID', 'lapsed');
});

function link(body: unknown, token = account.token): Promise<Reply> {
  return service.call('/api/v3/payment-link', { token, body });
}

function create(body: unknown): Promise<Reply> {
  return service.call('/api/v3/create-order', { token: account.token, body });
}

async function freshToken(): Promise<string> {
  return (await issueMerchantToken(service.services, account.accountId)).token;
}
