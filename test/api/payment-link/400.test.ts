/** What payment-link refuses: a wrong expires_at, and everything that create order refuses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const yearMs = 366 * 86_400_000;

/** A change to a valid body, and what the message says. */
const refusals: [changes: Record<string, unknown>, says: string | RegExp][] = [
  [{ expires_at: '2027-01-01' }, /^expires_at must be a time with its zone, such as /],
  [{ expires_at: '2027-01-01T00:00:00' }, 'expires_at must be a time with its zone'],
  [{ expires_at: '2027-02-30T00:00:00Z' }, 'expires_at must be a time with its zone'],
  [{ expires_at: 'x'.repeat(1025) }, /expires_at .*1024/],
  [{ expires_at: 1798741800 }, 'expires_at must be of type string'],
  [{ expires_at: true }, 'expires_at'],
  [{ expires_at: {} }, 'expires_at'],
  [{ expires_at: '2020-01-01T00:00:00Z' }, /^expires_at must be in the future\.$/],
  [{ expires_at: inMs(-1_000) }, 'expires_at must be in the future'],
  [{ expires_at: inMs(yearMs + 60_000) }, /^expires_at must be at most 366 days ahead\.$/],
  [{ invoice_id: undefined }, 'invoice_id is missing'],
  [{ currency: 'inr' }, 'currency'],
  [{ total_amount: 120 }, 'total_amount'],
  [{ user: undefined }, 'user is missing'],
  [{ shipping_address: undefined }, 'shipping_address is missing'],
  [{ callback_url: 'http://shop.example/' }, 'callback_url'],
];
test('bad input is answered 400 with what to do, and changes nothing', async () => {
  const before = await dumpTables(service.database);
  for (const [changes, says] of refusals) {
    const body = orderBody(changes);
    const reply = await service.call('/api/v3/payment-link', { token: account.token, body });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', says);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a body that is not a JSON object is answered 400', async () => {
  for (const body of ['{not json', '[]', '"text"', '']) {
    const reply = await service.call('/api/v3/payment-link', { token: account.token, body });
    assert.equal(reply.status, 400, body);
  }
});

test('a time just within the limit is accepted', async () => {
  for (const expires_at of [inMs(60_000), inMs(yearMs - 60_000)]) {
    const body = orderBody({ expires_at });
    const reply = await service.call('/api/v3/payment-link', { token: account.token, body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.equal(reply.body.expires_at, expires_at);
  }
});
