import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountLimits } from '../../src/domain/accounts/limits.ts';
import { commandLine } from '../../src/domain/audit.ts';
import type { Database } from '../../src/postgres/database.ts';
import { createServices } from '../../src/process/create-services.ts';
import { createAccountDirectory } from '../../src/services/account-directory.ts';
import { createAccount } from '../../src/use-cases/accounts/create-account.ts';
import { rotateSecret } from '../../src/use-cases/accounts/rotate-secret.ts';
import { suspendAccount } from '../../src/use-cases/accounts/suspend-account.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

const { database } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});

/** An account with what belongs to it. */
const read = ['find-account', 'find-account-secrets', 'find-account-endpoints'];

test('an account is used for a second, then its revision is checked, and it is read again only if it changed', async () => {
  const { accountId } = await createAccount(services, { name: 'Shop' }, commandLine);
  const { directory, take, advance } = watched();
  const first = await directory.get(accountId);
  assert.deepEqual(take(), read);

  assert.equal(await directory.get(accountId), first);
  assert.deepEqual(take(), []);
  advance(accountLimits.secretsCacheMsMax);
  assert.equal(directory.recall(accountId), undefined);
  assert.equal(await directory.get(accountId), first);
  assert.deepEqual(take(), ['find-account-revisions']);

  const { secret } = await rotateSecret(services, accountId, 'access-secret', 60, commandLine);
  take();
  advance(accountLimits.secretsCacheMsMax);
  const rotated = await directory.get(accountId);
  assert.equal(rotated.secrets['access-secret']?.[0]?.value, secret);
  assert.deepEqual(take(), ['find-account-revisions', ...read]);

  await suspendAccount(services, accountId, commandLine);
  advance(accountLimits.secretsCacheMsMax);
  assert.ok((await directory.get(accountId)).suspendedAt);
});

test('accounts that are waited for at the same time are checked by one statement', async () => {
  const created = await Promise.all(
    Array.from({ length: 20 }, () => createAccount(services, { name: 'Shop' }, commandLine)),
  );
  const { directory, take, advance } = watched();
  const findAll = () => Promise.all(created.map(({ accountId }) => directory.get(accountId)));
  await findAll();
  take();
  advance(accountLimits.secretsCacheMsMax);
  await Promise.all([findAll(), findAll()]);
  assert.deepEqual(take(), ['find-account-revisions']);
});

test('an account is read again after a minute, whatever its revision says', async () => {
  const { accountId } = await createAccount(services, { name: 'Shop' }, commandLine);
  const { directory, take, advance } = watched();
  await directory.get(accountId);
  await database.query({
    text: 'update accounts set name = $2 where account_id = $1',
    values: [accountId, 'Changed by an older version'],
  });
  advance(accountLimits.accountsReadMsMax);
  assert.equal((await directory.get(accountId)).name, 'Changed by an older version');
  assert.ok(take().includes('find-account'));
});

test('an account that does not exist yet is found a second after it was created', async () => {
  const { directory, advance } = watched();
  assert.equal(await directory.find('acc_0000000000000000'), undefined);
  const { accountId } = await createAccount(services, { name: 'Shop' }, commandLine);
  assert.equal((await directory.find(accountId))?.name, 'Shop');
  advance(accountLimits.secretsCacheMsMax);
  assert.equal(await directory.find('acc_0000000000000000'), undefined);
});

/** A directory with a clock of its own. `take` returns the names of its statements since the last call. */
function watched() {
  let nowMs = 0;
  let names: string[] = [];
  const counting: Database = {
    ...database,
    query: (statement) => {
      names.push(statement.name ?? '');
      return database.query(statement);
    },
  };
  return {
    directory: createAccountDirectory(counting, services.masterKeys, () => nowMs),
    advance: (ms: number) => {
      nowMs += ms;
    },
    take: () => {
      const taken = names;
      names = [];
      return taken;
    },
  };
}
