import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../../src/domain/limits.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

test('a body of exactly 256 KiB is read', async () => {
  const reply = await service.call('/api/v3/create-order', {
    token: account.token,
    body: bodyOf(limits.bodyBytesMax),
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
});

test('one byte more is refused and stores nothing', async () => {
  const before = await dumpTables(service.database);
  const reply = await service.call('/api/v3/create-order', {
    token: account.token,
    body: bodyOf(limits.bodyBytesMax + 1),
  });
  assertRefused(reply, 'PAYLOAD_TOO_LARGE');
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a body that does not say its length is refused all the same', async () => {
  const response = await fetch(`${service.baseUrl}/api/v3/create-order`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.token}` },
    body: new Blob([bodyOf(limits.bodyBytesMax + 1)]).stream(),
    duplex: 'half',
  } as RequestInit);
  const { status, headers } = response;
  assertRefused({ status, headers, body: await response.json() }, 'PAYLOAD_TOO_LARGE');
});

/** A valid body of so many bytes: an unknown field fills it. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify(orderBody({ filler: '' }));
  return empty.replace('"filler":""', `"filler":"${'x'.repeat(bytes - empty.length)}"`);
}
