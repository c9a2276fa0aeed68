import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createAccount } from '../../../src/use-cases/accounts/create-account.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database, url } = await createTestDatabase('template0');
const masterKey = randomBytes(32).toString('hex');
const env = { DATABASE_URL: url, MASTER_KEY: masterKey };
const [one, other] = await Promise.all([startServiceProcess(env), startServiceProcess(env)]);
const account = await createAccount(
  createServices({
    database,
    masterKeyHex: masterKey,
    settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
  }),
  { name: 'Shop' },
  commandLine,
);
const credentials = { access_key: account.accessKey, access_secret: account.accessSecret };

test('two services that start concurrently on an empty database both serve', async () => {
  for (const service of [one, other]) {
    assert.equal((await service.call('/readyz')).status, 200);
    assert.equal((await getToken(service)).split('.').length, 3);
  }
});

test('a service with DATABASE_URL prints no secret and creates no demo account', () => {
  assert.match(one.output(), /^payment-order-service is ready on \S+$/m);
  assert.doesNotMatch(one.output() + other.output(), /access_secret|demo/);
});

test('a token of one service is accepted by the other', async () => {
  for (const [issuer, reader] of [
    [one, other],
    [other, one],
  ] as const) {
    const token = await getToken(issuer);
    const reply = await reader.call('/api/v3/create-order', { token, body: orderBody() });
    assert.equal(reply.status, 200);
  }
});

test('fifty identical creates sent to both services create one order', async () => {
  const token = await getToken(one);
  const body = orderBody();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? one : other).call('/api/v3/create-order', { token, body }),
    ),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map((reply) => reply.body.order_id)).size, 1);
  const first = replies.filter(({ headers }) => headers.get('idempotent-replayed') === null);
  assert.equal(first.length, 1);
  const { rowCount } = await database.query({
    text: 'select 1 from orders where account_id = $1 and invoice_id = $2',
    values: [account.accountId, body.invoice_id],
  });
  assert.equal(rowCount, 1);
});

test('one service ends and the other continues', async () => {
  const token = await getToken(one);
  assert.equal(await one.end('SIGTERM'), 0);
  const reply = await other.call('/api/v3/create-order', { token, body: orderBody() });
  assert.equal(reply.status, 200);
});

test('two services that start concurrently on an empty database log no error', () => {
  assert.doesNotMatch(one.output() + other.output(), /"level":"(error|fatal)"/);
});

async function getToken(service: typeof one): Promise<string> {
  const reply = await service.call('/api/v3/generate-token', { body: credentials });
  assert.equal(reply.status, 200);
  return reply.body.token;
}
