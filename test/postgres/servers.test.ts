/** Several servers in DATABASE_URL: connections go to the one that takes writes. Contract 15.2. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hostsOf, serversOf } from '../../src/postgres/address.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { openDatabaseLink } from '../support/database-link.ts';
import { createTestDatabase } from '../support/test-database.ts';

const written: readonly (readonly [string, readonly string[]])[] = [
  ['postgres://one/orders', ['postgres://one/orders']],
  [
    'postgres://u:p@one:5432,two:5433/orders?sslmode=require',
    [
      'postgres://u:p@one:5432/orders?sslmode=require',
      'postgres://u:p@two:5433/orders?sslmode=require',
    ],
  ],
  [
    'postgresql://u:a,b:c@one,[::1]:5433',
    ['postgresql://u:a,b:c@one', 'postgresql://u:a,b:c@[::1]:5433'],
  ],
  ['postgres://u@/orders?host=/run/a,b', ['postgres://u@/orders?host=/run/a,b']],
  ['postgres://u:se,cr@et,word@one/orders', ['postgres://u:se,cr@et,word@one/orders']],
];
for (const [url, servers] of written) {
  test(`${url} is ${servers.length === 1 ? 'one server' : `${servers.length} servers`}`, () => {
    const found = serversOf({ connectionString: url });
    assert.deepEqual(
      found,
      servers.map((connectionString) => ({ connectionString })),
    );
  });
}

test('messages name the servers without user and password', () => {
  assert.equal(hostsOf('postgres://u:secret@one:5432,two/orders'), 'one:5432,two');
  assert.equal(hostsOf('postgres://u:sec@ret@one:5432,two/orders'), 'one:5432,two');
  assert.equal(hostsOf('postgres:///orders'), undefined);
});

test('a server that is away is passed over, and its successor is found without a restart', async () => {
  const { url } = await createTestDatabase();
  const first = await openDatabaseLink(url);
  const second = await openDatabaseLink(url);
  const absent = `127.0.0.1:${await findFreePort()}`;
  const own = openDatabase({
    connectionString: together([absent, hostOf(first), hostOf(second)], first.url),
  });
  after(() => own.close());
  const read = () => own.query({ text: 'select 1 as one' });
  assert.deepEqual((await read()).rows, [{ one: 1 }]);
  await first.close();
  assert.deepEqual((await read()).rows, [{ one: 1 }], 'through the second');
  await second.close();
  await assert.rejects(read(), { code: 'SERVICE_UNAVAILABLE' });
  await first.open();
  assert.deepEqual((await read()).rows, [{ one: 1 }], 'the first is back');
});

function hostOf({ url }: { readonly url: string }): string {
  return new URL(url).host;
}

function together(hosts: readonly string[], url: string): string {
  return url.replace(new URL(url).host, hosts.join(','));
}
