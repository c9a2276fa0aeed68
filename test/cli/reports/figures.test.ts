/** `figures rebuild` counts the figures of one account or of all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf } from '../../support/audit.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { makeOrder } from '../../support/figure-orders.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
const rebuild = (...words: string[]) =>
  runCommandHere(['figures', 'rebuild', '--json', ...words], env);

test('figures rebuild counts one account or all, changes only what is not right, and is in the log', async () => {
  const [one, other] = [await service.createAccount(), await service.createAccount()];
  for (const { accountId } of [one, other]) {
    await makeOrder(service.database, { accountId, createdAt: new Date('2026-03-01T10:00:00Z') });
  }
  const outcomeOf = async (...words: string[]) => JSON.parse((await rebuild(...words)).stdout);
  assert.deepEqual(await outcomeOf('--account', one.accountId), { counted: 1, changed: 1 });
  assert.deepEqual(await outcomeOf(), { counted: 2, changed: 1 });
  assert.deepEqual(await outcomeOf(), { counted: 2, changed: 0 });
  for (const { accountId } of [one, other]) {
    const entries = await auditOf(service, accountId);
    assert.deepEqual(
      entries.filter(({ action }) => action === 'figures.rebuilt'),
      [
        {
          actor: 'cli',
          user_id: null,
          address: null,
          action: 'figures.rebuilt',
          object: accountId,
          details: { counted: 1, changed: 1 },
        },
      ],
      'once, when they changed',
    );
  }
});

test('figures rebuild refuses an account that does not exist', async () => {
  const { code, stderr } = await rebuild('--account', 'acc_0000000000000000');
  assert.equal(code, 1);
  assert.match(stderr, /no account/);
});
