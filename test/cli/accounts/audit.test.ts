/** Every command that changes something is in the audit log. Contract 13.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf } from '../../support/audit.ts';
import { jsonCommands, runCommandHere } from '../../support/command-here.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const env = {
  DATABASE_URL: service.url,
  MASTER_KEY: testMasterKeyHex,
  ENDPOINT_ALLOWED_NETWORKS: '127.0.0.0/8',
};
const { runJson } = jsonCommands(env);

test('keys rotate is in the log of every account, also for the master key', async () => {
  const accounts = [await service.createAccount(), await service.createAccount()];
  const { signing_key_id: first } = await runJson('keys rotate signing --overlap 1h');
  const newKey = '24'.repeat(32);
  const master = { ...env, MASTER_KEY: newKey, MASTER_KEY_PREVIOUS: testMasterKeyHex };
  const rotated = await jsonCommands(master).runJson('keys rotate master');
  const logs = await Promise.all(accounts.map(({ accountId }) => auditOf(service, accountId)));
  // The other tests have the first key.
  const back = { ...env, MASTER_KEY_PREVIOUS: newKey };
  await jsonCommands(back).runJson('keys rotate master');

  for (const [, ...entries] of logs) {
    // The two entries of the second command often have the same millisecond, and then either comes first.
    assert.deepEqual(
      new Set(entries.map(({ actor, action, object }) => `${actor} ${action} ${object}`)),
      new Set([
        `cli keys.signing_rotated ${first}`,
        `cli keys.master_rotated ${rotated.master_key_id}`,
        `cli keys.signing_rotated ${rotated.signing_key_id}`,
      ]),
    );
    assert.equal(entries.length, 3);
    assert.match(String(entries[0]?.details.old_valid_until), /^\d{4}-\d\d-\d\dT/);
  }
});

test('every command that changes something is in the log as cli, with its object and no secret', async () => {
  const created = await runJson(['account', 'create', '--name', 'Tea', '--optional-order-details']);
  const id = created.account_id;
  const printed = [
    created,
    await runJson(`account update ${id} --requests-per-second 50`),
    await runJson(`account rotate ${id} access-secret`),
    await runJson(`account suspend ${id}`),
    await runJson(`account resume ${id}`),
    await runJson(`link create ${id} --amount 10.00 --currency INR --invoice A-1`),
    await runJson(`consumer erase ${id} --email gone@example.com`),
    await runJson(`user invite ${id} --email asha@team.example --role viewer`),
    await runJson('keys rotate signing'),
  ];
  const endpoint = await runJson(`endpoint create ${id} --url http://127.0.0.1:9/hook?key=hidden`);
  const { endpoint_id: endpointId } = endpoint;
  printed.push(endpoint, await runJson(`endpoint rotate ${endpointId}`));
  await runJson(`endpoint update ${endpointId} --event order_completed`);
  await runJson(`endpoint disable ${endpointId}`);
  await runJson(`endpoint enable ${endpointId}`);
  await runCommandHere(['endpoint', 'test', endpointId], env);
  await runJson('event resend --since 1h');
  await runJson(`endpoint delete ${endpointId}`);

  const entries = await auditOf(service, id);
  assert.deepEqual(new Set(entries.map(({ actor }) => actor)), new Set(['cli']));
  assert.deepEqual(
    entries.map(({ action, object }) => `${action} ${object.replace(/_[0-9A-Za-z]{16,}.*/, '')}`),
    [
      'account.created acc',
      'account.updated acc',
      'secret.rotated access-secret',
      'account.suspended acc',
      'account.resumed acc',
      'link.created o',
      'consumer.erased consumer',
      'user.invited inv',
      'keys.signing_rotated key',
      'endpoint.created ep',
      'endpoint.rotated ep',
      'endpoint.updated ep',
      'endpoint.disabled ep',
      'endpoint.enabled ep',
      'endpoint.tested ep',
      'event.resent ep',
      'endpoint.deleted ep',
    ],
  );
  assert.deepEqual(entries[1]?.details, { changed: ['requestsPerSecond'] });
  const text = JSON.stringify(entries);
  const secrets = printed.flatMap((outcome) => [
    outcome.access_secret,
    outcome.secret,
    outcome.partner_webhook_secret,
    ...(outcome.link ? [outcome.link.slice(outcome.link.lastIndexOf('/') + 1)] : []),
  ]);
  for (const secret of secrets.filter(Boolean)) assert.ok(!text.includes(secret));
  assert.ok(!/hidden|gone@example/.test(text));
});
