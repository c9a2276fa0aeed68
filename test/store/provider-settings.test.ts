/** Accounts that were stored before providers described their own settings (migration 0022). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveSecrets } from '../../src/domain/accounts/account.ts';
import { commandLine } from '../../src/domain/audit.ts';
import { createServices } from '../../src/process/create-services.ts';
import { createMasterKey } from '../../src/security/master-key.ts';
import { rowOfSecret } from '../../src/services/account-directory.ts';
import { findProviderApi } from '../../src/services/provider-apis.ts';
import { listAccounts } from '../../src/store/accounts/accounts.ts';
import { findMissingMigrations, migrate } from '../../src/store/upkeep/migrate.ts';
import { rewrapSecrets } from '../../src/use-cases/accounts/rotate-keys.ts';
import { migrateTo } from '../support/migrate-to.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

const accountId = 'acc_0123456789abcdef';
const plainId = 'acc_fedcba9876543210';
const kinds = [
  ...['access-secret', 'consumer-id-key', 'partner-webhook-secret', 'bank-gateway-secret'],
  ...['partner-key-secret', 'bank-gateway-password'],
];
const apis = {
  partner: { url: 'https://partner.example', login: 'rzp_test_1' },
  'bank-gateway': { url: 'https://gateway.example', login: 'MERCHANT1' },
};

const { database } = await createTestDatabase('template0');
await migrateTo(database, 21);
await insertAccount(accountId, 'MERCHANT1', apis);
await insertAccount(plainId, null, {});
await insertSecrets();
await migrate(database);

test('an account keeps its merchant, and one without a merchant has no settings', async () => {
  assert.deepEqual(await findMissingMigrations(database), []);
  const [account, plain] = await listAccounts(database);
  assert.deepEqual(account?.providerSettings, { 'bank-gateway': { merchant: 'MERCHANT1' } });
  assert.deepEqual(account?.providerApis, apis);
  assert.deepEqual(account?.paymentModes, { upi: 'partner' });
  assert.deepEqual(plain?.providerSettings, {});
});

test('every secret opens, and the providers are called with the same credentials', async () => {
  const services = servicesWith([testMasterKeyHex]);
  const account = await services.accounts.get(accountId);
  for (const kind of kinds) {
    assert.deepEqual(liveSecrets(account, kind, new Date()), [`value of ${kind}`]);
  }
  const { callProvider: _call, ...gateway } =
    findProviderApi(services, account, 'bank-gateway') ?? {};
  assert.deepEqual(gateway, {
    ...apis['bank-gateway'],
    secret: 'value of bank-gateway-password',
    settings: { merchant: 'MERCHANT1' },
  });
});

test('a new master key seals every kind of secret again', async () => {
  const newKeyHex = '17'.repeat(32);
  assert.equal(
    await rewrapSecrets(servicesWith([newKeyHex, testMasterKeyHex]), commandLine),
    kinds.length,
  );
  const account = await servicesWith([newKeyHex]).accounts.get(accountId);
  for (const kind of kinds) {
    assert.deepEqual(liveSecrets(account, kind, new Date()), [`value of ${kind}`]);
  }
});

test('the schema names no provider', async () => {
  const { rows } = await database.query<{ text: string }>({
    text: `select coalesce(column_name || coalesce(column_default, ''), '') as text
             from information_schema.columns where table_schema = 'public'
            union all
           select pg_get_constraintdef(oid) from pg_constraint
            where connamespace = 'public'::regnamespace`,
  });
  assert.deepEqual(
    rows.filter(({ text }) => /partner|gateway/.test(text)),
    [],
  );
});

function servicesWith([masterKeyHex = '', ...otherMasterKeysHex]: readonly string[]) {
  return createServices({
    database,
    masterKeyHex,
    otherMasterKeysHex,
    settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
  });
}

async function insertAccount(id: string, merchant: string | null, addresses: object) {
  await database.query({
    text: `insert into accounts (account_id, name, optional_order_details, encrypted_payloads,
                                 signature_version, bank_gateway_merchant, payment_modes,
                                 provider_apis, created_at)
           values ($1, 'Shop', false, false, 'v3', $2, '{"upi": "partner"}', $3, now())`,
    values: [id, merchant, JSON.stringify(addresses)],
  });
}

async function insertSecrets(): Promise<void> {
  const masterKey = createMasterKey(testMasterKeyHex);
  for (const kind of kinds) {
    const secretId = `secret of ${kind}`;
    const sealed = masterKey.seal(`value of ${kind}`, rowOfSecret(accountId, kind, secretId));
    await database.query({
      text: `insert into account_secrets (account_id, kind, secret_id, sealed, created_at)
             values ($1, $2, $3, $4, now())`,
      values: [accountId, kind, secretId, sealed],
    });
  }
}
