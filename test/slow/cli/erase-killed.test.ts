import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { assertInvariants, captureOf, openShop } from '../../api/webhooks/shop.ts';
import { assertErased, eraseIn, meera, personalOrder } from '../../support/erasure.ts';
import { launchService } from '../../support/service-process.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

test('a killed run leaves every order either erased or unchanged, and the next run erases the rest', async () => {
  const shop = await openShop(checkingAccounts);
  const count = 150;
  for (let created = 0; created < count; created += 1) {
    const order = await shop.createOrder(personalOrder);
    await shop.sendPartner(captureOf(order));
  }
  const erasedCount = async () => {
    const { rows } = await shop.service.database.query<{ count: number }>({
      text: 'select count(*)::integer from orders where erased_at is not null',
    });
    return rows[0]?.count ?? 0;
  };
  const env = { DATABASE_URL: shop.service.url, MASTER_KEY: testMasterKeyHex };
  const words = ['consumer', 'erase', shop.account.accountId, '--email', meera.email];
  const command = ['src/cli/main.ts', ...words] as const;
  const { child, exited } = launchService(env, {
    command: [process.execPath, ...command],
  });
  await waitUntil('some are erased', async () => (await erasedCount()) > 5);
  child.kill('SIGKILL');
  await exited;
  const left = count - (await erasedCount());
  assert.ok(left > 0, 'it was killed before the end');
  await assertInvariants(shop);

  assert.equal(
    (await eraseIn(shop.service, shop.account.accountId, ['--email', meera.email])).orders,
    left,
  );
  await assertErased(shop.service.database);
  await assertInvariants(shop);
});
