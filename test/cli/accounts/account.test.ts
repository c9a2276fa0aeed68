import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import type { CommandOutcome } from '../../../tools/harness/command-line.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { gatewayBody } from '../../support/deliveries.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { plainBranding } from '../../support/plain-branding.ts';
import { createTemporaryFolder } from '../../support/service-process.ts';
import { createTestDatabase, dumpTables } from '../../support/test-database.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const external = {
  DATABASE_URL: service.url,
  MASTER_KEY: testMasterKeyHex,
  PUBLIC_URL: 'https://pay.example.com',
};
const everyModeAtThePartner = [
  'upi:partner',
  'wallet:partner',
  'debit_card:partner',
  'credit_card:partner',
  'net_banking:partner',
  'prepaid_card:partner',
];
const unknownId = 'acc_0000000000000000';

test('account create prints one object with the fields an operator needs, and they work', async () => {
  const account = await runJson(['account', 'create', '--name', 'Tea & Co']);

  const { account_id, access_key, access_secret, ...rest } = account;
  const { partner_webhook_secret, bank_gateway_secret, ...others } = rest;
  assert.match(account_id, /^acc_[0-9A-Za-z]{16}$/);
  assert.match(access_key, /^access_key_[0-9A-Za-z]{16}$/);
  assert.match(access_secret, /^access_secret_[0-9A-Za-z]{40}$/);
  assert.match(partner_webhook_secret, /^\w{40,}$/);
  assert.match(bank_gateway_secret, /^\w{40,}$/);
  assert.deepEqual(others, {
    name: 'Tea & Co',
    partner_webhook_url: `https://pay.example.com/api/v3/webhooks/partner/${account_id}`,
    bank_gateway_webhook_url: `https://pay.example.com/api/v3/webhooks/bank-gateway/${account_id}`,
  });
  assert.equal(await tryCredentials(access_key, access_secret), 200);
});

test('account create without --json prints the same fields as text', async () => {
  const { code, stdout } = await run(['account', 'create', '--name', 'Shop']);
  assert.equal(code, 0);
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ +/)[0]);
  assert.deepEqual(names, [
    'account_id',
    'name',
    'access_key',
    'access_secret',
    'partner_webhook_secret',
    'bank_gateway_secret',
    'partner_webhook_url',
    'bank_gateway_webhook_url',
  ]);
});

test('account create says what to do next, unless the output is JSON', async () => {
  const create = ['account', 'create', '--name', 'Shop'];
  const { stdout, stderr } = await run(create);
  const [, accountId = ''] = /^account_id +(\S+)/.exec(stdout) ?? [];
  const update = `npm run --silent cli -- account update ${accountId}`;
  assert.deepEqual(stderr.split('\n'), [
    'The account cannot start payments before it has the keys of a provider. Set them with the secret in a file:',
    `  ${update} --partner-key-id ID --partner-key-secret - < secret.txt`,
    `  ${update} --bank-gateway-merchant ID --bank-gateway-url URL --bank-gateway-password - < secret.txt`,
    '',
  ]);
  const keys = ['--partner-key-id', 'rzp_1', '--partner-key-secret', 'x'];
  assert.equal((await run([...create, ...keys])).stderr, '');
});

for (const [publicUrl, hasAdvice] of [
  ['http://127.0.0.1:8080', true],
  ['http://localhost', true],
  ['http://0.0.0.0:8080', true],
  ['https://pay.example.com', false],
] as const) {
  test(`account create ${hasAdvice ? 'warns' : 'does not warn'} that no provider reaches ${publicUrl}`, async () => {
    const keys = ['--partner-key-id', 'rzp_1', '--partner-key-secret', 'x'];
    const words = ['account', 'create', '--name', 'Shop', ...keys];
    const { stderr } = await run(words, { ...external, PUBLIC_URL: publicUrl });
    const advice = `No provider can reach webhook URLs at ${publicUrl}: set its public address for the service and for this command, such as PUBLIC_URL=https://pay.example.com.\n`;
    assert.equal(stderr, hasAdvice ? advice : '');
  });
}

test('account create takes every setting, and account list shows them without secrets', async () => {
  const created = await runJson([
    'account',
    'create',
    '--name',
    'All settings',
    '--optional-order-details',
    '--encrypted-payloads',
    '--signature-version',
    'v2',
    '--capture-mode',
    'manual',
    '--bank-gateway-hold-days',
    '3',
    '--late-payments',
    'refund',
    '--alternate-currency',
    'USD:INR:83.25',
    '--alternate-currency',
    'EUR:INR:90',
    '--bank-gateway-merchant',
    'MERCHANT1',
    '--partner-upi-intent',
    'on',
  ]);

  const { accounts } = await runJson(['account', 'list']);

  const listed = accounts.find((one: Printed) => one.account_id === created.account_id);
  const { created_at, ...rest } = listed;
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, {
    account_id: created.account_id,
    name: 'All settings',
    access_key: created.access_key,
    optional_order_details: true,
    encrypted_payloads: true,
    signature_version: 'v2',
    capture_mode: 'manual',
    late_payments: 'refund',
    partner_upi_intent: 'on',
    bank_gateway_merchant: 'MERCHANT1',
    bank_gateway_hold_days: '3',
    requests_per_second: 'off',
    alternate_currencies: ['EUR:INR:90', 'USD:INR:83.25'],
    payment_modes: everyModeAtThePartner,
    provider_apis: [],
    suspended_at: null,
    callback_origins: [],
    ...plainBranding,
  });
  assert.doesNotMatch(JSON.stringify(accounts), /_secret/);
});

test('account update changes the given settings and leaves the rest, in both directions', async () => {
  const { account_id, access_key } = await runJson([
    'account',
    'create',
    '--name',
    'Before',
    '--optional-order-details',
    '--alternate-currency',
    'USD:INR:83.25',
    '--alternate-currency',
    'EUR:INR:90',
  ]);
  const update = (...words: string[]) => runJson(['account', 'update', account_id, ...words]);

  const before = {
    account_id,
    name: 'Before',
    access_key,
    optional_order_details: true,
    encrypted_payloads: false,
    signature_version: 'v3',
    capture_mode: 'automatic',
    late_payments: 'keep',
    partner_upi_intent: 'off',
    bank_gateway_merchant: null,
    bank_gateway_hold_days: '7',
    requests_per_second: 'off',
    alternate_currencies: ['USD:INR:83.25', 'EUR:INR:90'],
    payment_modes: everyModeAtThePartner,
    provider_apis: [],
    callback_origins: [],
    ...plainBranding,
  };
  const changed = await update(
    '--no-optional-order-details',
    '--encrypted-payloads',
    '--signature-version',
    'v2',
    '--alternate-currency',
    'USD:off',
    '--bank-gateway-merchant',
    'MERCHANT1',
    '--requests-per-second',
    '50',
    '--partner-upi-intent',
    'on',
  );
  assert.deepEqual(changed, {
    ...before,
    optional_order_details: false,
    encrypted_payloads: true,
    signature_version: 'v2',
    partner_upi_intent: 'on',
    bank_gateway_merchant: 'MERCHANT1',
    requests_per_second: 50,
    alternate_currencies: ['EUR:INR:90'],
  });
  const back = await update(
    '--name',
    'After',
    '--optional-order-details',
    '--no-encrypted-payloads',
    '--alternate-currency',
    'EUR:INR:91.5',
    '--bank-gateway-merchant',
    '',
    '--requests-per-second',
    'off',
    '--partner-upi-intent',
    '',
  );
  assert.deepEqual(back, {
    ...before,
    name: 'After',
    signature_version: 'v2',
    alternate_currencies: ['EUR:INR:91.5'],
  });
});

test('account update takes a rate that is far from the former one only twice', async () => {
  const { account_id } = await runJson([
    'account',
    'create',
    '--name',
    'Rates',
    '--alternate-currency',
    'USD:INR:83.25',
  ]);
  const update = (rate: string) => ['account', 'update', account_id, '--alternate-currency', rate];
  await runJson(update('USD:off'));
  const refused = await run(update('USD:INR:8.325'));
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /USD:INR:83\.25.* as USD:INR:8\.325:8\.325\./);
  const { alternate_currencies } = await runJson(update('USD:INR:8.325:8.325'));
  assert.deepEqual(alternate_currencies, ['USD:INR:8.325']);
});

test('account create and update replace all callback origins, and off removes them', async () => {
  const created = await runJson([
    'account',
    'create',
    '--name',
    'Origins',
    '--callback-origin',
    'https://shop.example',
    ...[
      '--callback-origin',
      'https://SHOP.example:443/',
      '--callback-origin',
      'http://localhost:3000',
    ],
  ]);
  const { account_id } = created;
  const listed = async () => {
    const { accounts } = await runJson(['account', 'list']);
    return accounts.find((one: Printed) => one.account_id === account_id).callback_origins;
  };
  assert.deepEqual(await listed(), ['https://shop.example', 'http://localhost:3000']);
  const update = (...words: string[]) => runJson(['account', 'update', account_id, ...words]);
  const other = await update('--callback-origin', 'https://other.example:8443');
  assert.deepEqual(other.callback_origins, ['https://other.example:8443']);
  assert.deepEqual((await update('--name', 'Renamed')).callback_origins, other.callback_origins);
  assert.deepEqual((await update('--callback-origin', 'off')).callback_origins, []);
  assert.deepEqual(await listed(), []);
});

test('an invalid callback origin is refused with one sentence', async () => {
  for (const origin of ['https://shop.example/back', '']) {
    const { code, stderr } = await run([
      'account',
      'create',
      '--name',
      'Shop',
      '--callback-origin',
      origin,
    ]);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^--callback-origin must look like https:\/\/shop\.example/);
  }
});

test('orders are converted as soon as the account has an alternate currency', async () => {
  const account = await runJson([
    'account',
    'create',
    '--name',
    'Shop',
    '--optional-order-details',
  ]);
  await runJson(['account', 'update', account.account_id, '--alternate-currency', 'USD:INR:83.25']);
  const { token } = await issueMerchantToken(service.services, account.account_id);
  const reply = await service.call('/api/v3/create-order', {
    token,
    body: { invoice_id: 'INV-1', currency: 'USD', total_amount: 2 },
  });
  assert.equal(reply.body.currency, 'INR');
  assert.equal(reply.body.total_amount, 166.5);
});

test('account suspend refuses the calls of an account, and account resume serves them again', async () => {
  const { account_id } = await runJson(['account', 'create', '--name', 'Shop']);
  const { token } = await issueMerchantToken(service.services, account_id);
  const call = async () => (await service.call('/api/v3/order?order_id=none', { token })).status;
  const listed = async () =>
    (await runJson(['account', 'list'])).accounts.find(
      (one: Printed) => one.account_id === account_id,
    );
  const suspended = await runJson(['account', 'suspend', account_id]);
  assert.deepEqual(Object.keys(suspended), ['account_id', 'suspended_at']);
  assert.equal((await listed()).suspended_at, suspended.suspended_at);
  await waitUntil('it is refused', async () => (await call()) === 403, 3);
  const resumed = await runJson(['account', 'resume', account_id]);
  assert.deepEqual(resumed, { account_id, suspended_at: null });
  await waitUntil('it is served', async () => (await call()) === 404, 3);
});

test('the old access secret is valid beside the new one during the overlap, and not after it', async () => {
  const { account_id, access_key, access_secret } = await runJson([
    'account',
    'create',
    '--name',
    'Shop',
  ]);
  const rotate = (...words: string[]) =>
    runJson(['account', 'rotate', account_id, 'access-secret', ...words]);

  const first = await rotate('--overlap', '5m');
  assertRotated(first, account_id, 'access_secret', 5 * 60);
  await waitUntil(
    'the new secret is known',
    async () => (await tryCredentials(access_key, first.access_secret)) === 200,
    3,
  );
  assert.equal(await tryCredentials(access_key, access_secret), 200);

  const second = await rotate('--overlap', '1s');
  assertRotated(second, account_id, 'access_secret', 1);
  await waitUntil(
    'both old secrets have ended',
    async () => (await tryCredentials(access_key, access_secret)) === 401,
    5,
  );
  assert.ok(Date.now() >= Date.parse(second.old_valid_until), 'not before their time');
  assert.equal(await tryCredentials(access_key, first.access_secret), 401);
  assert.equal(await tryCredentials(access_key, second.access_secret), 200);
});

for (const kind of ['access-secret', 'partner-webhook-secret', 'bank-gateway-secret']) {
  test(`account rotate ${kind} prints the new secret under its name, with 24 hours of overlap`, async () => {
    const name = kind.replaceAll('-', '_');
    const created = await runJson(['account', 'create', '--name', 'Shop']);
    const rotated = await runJson(['account', 'rotate', created.account_id, kind]);
    assertRotated(rotated, created.account_id, name, 24 * 3600);
    assert.notEqual(rotated[name], created[name]);
  });
}

test('a provider that generates its secret: account rotate --value stores it, and its notifications are accepted', async () => {
  const { account_id } = await runJson(['account', 'create', '--name', 'Shop']);
  const generated = randomBytes(16).toString('hex').toUpperCase();
  const rotated = await runJson([
    'account',
    'rotate',
    account_id,
    'bank-gateway-secret',
    '--value',
    generated,
  ]);
  assert.equal(rotated.bank_gateway_secret, generated);
  const notify = async (secret: string) => {
    const { status } = await service.call(`/api/v3/webhooks/bank-gateway/${account_id}`, {
      body: gatewayBody({ order: { id: 'INV-1' } }),
      headers: { 'x-notification-secret': secret },
    });
    return status;
  };
  assert.equal(await notify(generated), 200);
  assert.equal(await notify(generated.toLowerCase()), 401);
});

const badWords: ReadonlyArray<readonly [words: string, complaint: RegExp]> = [
  ['account', /^"account" is a group of commands: add one of create, list, /],
  ['account destroy', /^There is no command "account destroy"\.$/],
  ['account create', /--name/],
  ['account create --name Shop --size big', /--size/],
  ['account create --name Shop --colour red', /^--colour must look/],
  ['account create --name Shop extra', /"extra"/],
  ['account create --name Shop --signature-version v1', /--signature-version must be v2 or v3\.$/],
  ['account create --name Shop --late-payments', /--late-payments/],
  ['account create --name Shop --late-payments no', /--late-payments must be keep or refund\.$/],
  ['account create --name Shop --alternate-currency USD:INR', /--alternate-currency must look/],
  ['account create --name Shop --alternate-currency USD:INR:1:2', /--alternate-currency must look/],
  ['account update acc_1 --requests-per-second 0', /^--requests-per-second must be a whole/],
  ['account update acc_1 --requests-per-second 1.5', /^--requests-per-second must be a whole/],
  ['account update', /an account id/],
  ['account update one two', /an account id/],
  ['account rotate acc_1', /the kind of secret/],
  ['account rotate acc_1 password', /kind of secret must be one of access-secret, /],
  ['account rotate acc_1 access-secret --overlap 1w', /^--overlap must be/],
  ['account rotate acc_1 access-secret --overlap soon', /^--overlap must be/],
];
for (const [words, complaint] of badWords) {
  test(`"${words}" is refused with a sentence and where to read on, before the database is opened`, async () => {
    const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none', MASTER_KEY: testMasterKeyHex };
    const { code, stdout, stderr } = await run(words.split(' '), nowhere);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    const [sentence = '', help = '', ...more] = stderr.split('\n');
    assert.match(sentence, complaint);
    assert.match(
      help,
      /^Run "npm run --silent cli -- account.* --help" for its (options|commands)\.$/,
    );
    assert.deepEqual(more, ['']);
  });
}

test('no arguments, or --help, print the usage', async () => {
  for (const words of [[], ['--help']]) {
    const { code, stdout, stderr } = await run(words, {});
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /^Usage: npm run --silent cli -- <command>\n/);
  }
});

const refused: ReadonlyArray<readonly [words: string, complaint: RegExp]> = [
  [`account update ${unknownId} --name X`, new RegExp(`no account ${unknownId}`)],
  [`account rotate ${unknownId} access-secret`, new RegExp(`no account ${unknownId}`)],
  [`account rotate ${unknownId} access-secret --value ${'x'.repeat(40)}`, /always generated/],
  [`account rotate ${unknownId} bank-gateway-secret --value short`, /16 to 256 visible ASCII/],
  ['account create --name Shop --alternate-currency XXY:INR:2', /unknown currency XXY/],
  ['account create --name Shop --alternate-currency USD:INR:0', /a rate above 0/],
  ['account create --name Shop --alternate-currency USD:USD:1', /two different currencies/],
  [`account create --name ${'x'.repeat(256)}`, /name must have 1 to 255 characters/],
];
for (const [words, complaint] of refused) {
  test(`"${words.slice(0, 70)}" is refused with one line and changes nothing`, async () => {
    const before = await dumpTables(service.database);
    const { code, stdout, stderr } = await run(words.split(' '));
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /^[^\n]+\n$/);
    assert.match(stderr, complaint);
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

test('an embedded database that is not running is reported in one sentence, and nothing is created', async () => {
  const folder = await createTemporaryFolder();
  const { code, stdout, stderr } = await run(['account', 'list'], { DATA_DIR: folder });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.equal(
    stderr,
    `The embedded database in ${folder} is not running: start the service with "npm start" first, or set DATABASE_URL.\n`,
  );
  assert.deepEqual(await readdir(folder), []);
});

test('an unreachable database is reported in one line without its password', async () => {
  const address = `127.0.0.1:${await findFreePort()}`;
  const { code, stdout, stderr } = await run(['account', 'list'], {
    DATABASE_URL: `postgres://service:hunter2@${address}/orders`,
    MASTER_KEY: testMasterKeyHex,
  });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.match(stderr, /^[^\n]+\n$/);
  assert.ok(stderr.includes(`DATABASE_URL at ${address}`), stderr);
  assert.doesNotMatch(stderr, /hunter2/);
});

test('a database that no service has set up yet is reported in one line', async () => {
  const { url } = await createTestDatabase('template0');
  const { code, stderr } = await run(['account', 'list'], { ...external, DATABASE_URL: url });
  assert.equal(code, 1);
  assert.match(stderr, /^[^\n]+\n$/);
});

test('a MASTER_KEY other than the key of the database is refused, and no account is created', async () => {
  await runJson(['account', 'create', '--name', 'Shop']);
  const before = await dumpTables(service.database);
  const { code, stdout, stderr } = await run(['account', 'create', '--name', 'Lost'], {
    ...external,
    MASTER_KEY: randomBytes(32).toString('hex'),
  });
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.match(stderr, /^MASTER_KEY [^\n]+\n$/);
  assert.deepEqual(await dumpTables(service.database), before);
});

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is asserted field by field
type Printed = Record<string, any>;

type Environment = Readonly<Record<string, string>>;

function run(words: readonly string[], env: Environment = external): Promise<CommandOutcome> {
  return runCommandHere(words, env);
}

/** Asserts that --json prints one line with one object and nothing else. */
async function runJson(words: readonly string[], env: Environment = external): Promise<Printed> {
  const { code, stdout, stderr } = await run([...words, '--json'], env);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /^\{[^\n]+\}\n$/);
  return JSON.parse(stdout);
}

function assertRotated(rotated: Printed, accountId: string, name: string, overlapSeconds: number) {
  assert.deepEqual(Object.keys(rotated), ['account_id', name, 'old_valid_until']);
  assert.equal(rotated.account_id, accountId);
  assert.match(rotated[name], /^\w{40,}$/);
  const seconds = (Date.parse(rotated.old_valid_until) - Date.now()) / 1000;
  assert.ok(seconds <= overlapSeconds && seconds > overlapSeconds - 20, `${seconds} seconds`);
}

/** The status of generate-token. */
async function tryCredentials(accessKey: string, accessSecret: string): Promise<number> {
  const reply = await service.call('/api/v3/generate-token', {
    body: { access_key: accessKey, access_secret: accessSecret },
  });
  return reply.status;
}
