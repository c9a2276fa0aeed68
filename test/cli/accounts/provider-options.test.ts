import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSimulator } from '../../../simulator/simulator.ts';
import { accountCreate } from '../../../src/cli/accounts/account-create.ts';
import { accountUpdate } from '../../../src/cli/accounts/account-update.ts';
import { UsageError } from '../../../src/cli/framework/command.ts';
import { readWords } from '../../../src/cli/framework/read-words.ts';
import { commandLine } from '../../../src/domain/audit.ts';
import { ServiceError } from '../../../src/domain/errors.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { type CommandOutcome, runCommand } from '../../../tools/harness/command-line.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const simulator = await startSimulator();
after(() => simulator.close());
const external = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
const keySecret = 'partner-key-secret-of-the-test';
const password = 'gateway-password-of-the-test';
const allModes = ['upi', 'credit_card', 'debit_card', 'net_banking', 'wallet', 'prepaid_card'];

test('an account is created with its providers, and they are listed without their secrets', async () => {
  const { stdout, printed } = await runJson([
    'account',
    'create',
    '--name',
    'Providers',
    '--partner-key-id',
    'rzp_test_1',
    '--partner-key-secret',
    keySecret,
    '--bank-gateway-merchant',
    'MERCHANT1',
    '--bank-gateway-password',
    password,
    '--bank-gateway-url',
    'https://gateway.example',
    '--payment-mode',
    'upi:off',
    '--payment-mode',
    'credit_card:bank-gateway',
    '--payment-mode',
    'debit_card:bank-gateway',
  ]);
  assertNoSecret(stdout);
  assertNoSecret((await run(['account', 'list'])).stdout);
  const { account_id } = printed;
  assert.deepEqual(await settingsOf(account_id), {
    payment_modes: [
      'credit_card:bank-gateway',
      'debit_card:bank-gateway',
      'net_banking:partner',
      'prepaid_card:partner',
      'wallet:partner',
    ],
    provider_apis: [
      'bank-gateway:MERCHANT1@https://gateway.example',
      'partner:rzp_test_1@https://api.razorpay.com',
    ],
  });
  assertNoSecret(JSON.stringify(await dumpTables(service.database)));
});

test('an update changes the given provider settings and leaves the rest', async () => {
  const { printed } = await runJson([
    'account',
    'create',
    '--name',
    'Changing',
    '--partner-key-id',
    'rzp_test_1',
    '--partner-url',
    'https://partner.example/',
    '--partner-key-secret',
    keySecret,
  ]);
  const { account_id } = printed;
  const update = async (...words: string[]) => {
    const { stdout, printed } = await runJson(['account', 'update', account_id, ...words]);
    assertNoSecret(stdout);
    return { modes: printed.payment_modes.toSorted(), apis: printed.provider_apis.toSorted() };
  };
  const partnerModes = allModes.map((mode) => `${mode}:partner`).sort();
  const steps: [words: string[], modes: string[], apis: string[]][] = [
    [
      ['--partner-url', 'http://127.0.0.1:9', '--partner-key-secret', 'another'],
      partnerModes,
      ['partner:rzp_test_1@http://127.0.0.1:9'],
    ],
    [
      // New keys are those of the real partner.
      ['--partner-key-id', 'rzp_live_2'],
      partnerModes,
      ['partner:rzp_live_2@https://api.razorpay.com'],
    ],
    [
      ['--payment-mode', 'wallet:off', '--payment-mode', 'upi:bank-gateway'],
      [...partnerModes.filter((mode) => !/^(wallet|upi):/.test(mode)), 'upi:bank-gateway'].sort(),
      ['partner:rzp_live_2@https://api.razorpay.com'],
    ],
  ];
  for (const [words, modes, apis] of steps) {
    assert.deepEqual(await update(...words), { modes, apis }, words.join(' '));
  }
});

test('an address that is set later is combined with the stored merchant id', async () => {
  const { printed } = await runJson([
    'account',
    'create',
    '--name',
    'Step by step',
    '--bank-gateway-merchant',
    'M3',
  ]);
  const url = 'https://gateway.example';
  const update = ['account', 'update', printed.account_id, '--bank-gateway-url', url];
  const updated = (await runJson(update)).printed;
  assert.deepEqual(updated.provider_apis, [`bank-gateway:M3@${url}`]);
});

test('a secret is read from standard input with -, and works', async () => {
  const { printed } = await runJson(
    [
      'account',
      'create',
      '--name',
      'Piped',
      '--partner-key-id',
      'rzp_piped',
      '--partner-url',
      simulator.url,
      '--partner-key-secret',
      '-',
    ],
    'a wrong one\n',
  );
  register('rzp_piped');
  const { account_id } = printed;
  assert.equal(await startPayment(account_id), 'failed', 'the provider refuses the wrong secret');

  const update = ['account', 'update', account_id, '--partner-key-secret', '-'];
  const { stdout } = await runJson(update, `${keySecret}\nnot this line\n`);
  assertNoSecret(stdout);
  // A process caches secrets for a second.
  await waitUntil(
    'the new secret is used',
    async () => (await startPayment(account_id)) === 'pending',
    3,
  );
});

test('a secret from standard input needs no newline', async () => {
  const { printed } = await runJson(
    [
      'account',
      'create',
      '--name',
      'Piped gateway',
      '--bank-gateway-merchant',
      'PIPED',
      '--bank-gateway-url',
      simulator.url,
      '--bank-gateway-password',
      '-',
      '--payment-mode',
      'upi:bank-gateway',
    ],
    password,
  );
  simulator.register({
    gateway: { merchantId: 'PIPED', password, webhookUrl: simulator.url, webhookSecret: 'x' },
  });
  assert.equal(await startPayment(printed.account_id), 'pending');
});

const badModes = ['upi', 'upi:', 'upi:stripe', 'cash:partner', 'upi:partner:x', 'constructor:off'];
test('an unknown mode or provider is refused before the database is opened', async () => {
  for (const mode of badModes) {
    for (const command of [accountCreate, accountUpdate]) {
      const words = command === accountCreate ? ['--name', 'Shop'] : ['acc_0000000000000000'];
      assert.throws(
        () => command.read(readWords(command, [...words, '--payment-mode', mode])),
        (error) => error instanceof UsageError && /^--payment-mode must look/.test(error.message),
        mode,
      );
    }
  }
  await assertUsage('account create --name Shop --payment-mode upi', /^--payment-mode must look/);
});

test('an empty standard input is refused before the database is opened', async () => {
  const words = 'account update acc_0000000000000000 --bank-gateway-password -';
  await assertUsage(words, /^Standard input holds no secret\.$/);
});

const badUrls = [
  'http://partner.example',
  'https://user:secret@partner.example',
  'https://partner.example/?key=1',
  'https://partner.example/#x',
  'ftp://127.0.0.1',
  'http://127.0.0.1.partner.example',
  'http://localhost.partner.example',
  'partner.example',
  'javascript:alert(1)',
];
test('an address to which a secret must not travel is refused, and changes nothing', async () => {
  const { accountId } = await service.createAccount();
  const before = await dumpTables(service.database);
  const words = /^partner URL must be an https URL, or an http URL of this machine/;
  for (const url of badUrls) {
    const change = () => ({ providerApis: { partner: { url, login: 'rzp_test_1' } } });
    await assert.rejects(
      updateAccount(service.services, accountId, change, commandLine),
      (error) => error instanceof ServiceError && words.test(error.merchantMessage),
      url,
    );
  }
  const [insecure = ''] = badUrls;
  const address = ['--partner-key-id', 'rzp_test_1', '--partner-url', insecure];
  await assertRefused(['account', 'update', accountId, ...address], words);
  await assertRefused(
    ['account', 'create', '--name', 'New', '--partner-key-id', 'a:b'],
    /^partner login must have 1 to 64 letters/,
  );
  await assertRefused(
    ['account', 'update', accountId, '--partner-upi-intent', 'yes'],
    /^partner upi-intent must be on or off/,
  );
  assert.deepEqual(await dumpTables(service.database), before);
});

test('an address in a private network is refused when it is set, and changes nothing', async () => {
  const { accountId } = await service.createAccount();
  const before = await dumpTables(service.database);
  for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:192.168.1.1]']) {
    const address = ['--partner-key-id', 'rzp_test_1', '--partner-url', `https://${host}`];
    const words = /^partner URL must be on the internet: .*ENDPOINT_ALLOWED_NETWORKS/;
    await assertRefused(['account', 'update', accountId, ...address], words);
    await assertRefused(['account', 'create', '--name', 'New', ...address], words);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is asserted field by field
type Printed = Record<string, any>;

async function settingsOf(accountId: string) {
  const { accounts } = (await runJson(['account', 'list'])).printed;
  const listed = accounts.find((one: Printed) => one.account_id === accountId);
  return {
    payment_modes: listed.payment_modes.toSorted(),
    provider_apis: listed.provider_apis.toSorted(),
  };
}

function register(keyId: string): void {
  const [webhookUrl, webhookSecret] = [simulator.url, 'unused'];
  simulator.register({ partner: { keyId, keySecret, webhookUrl, webhookSecret } });
}

/** The status of the reply when the account starts a payment. */
async function startPayment(accountId: string): Promise<string> {
  const { token } = await issueMerchantToken(service.services, accountId);
  const created = await service.call('/api/v3/create-order', { token, body: orderBody() });
  const { status, body } = await service.call('/api/v3/initiate-payment', {
    token,
    body: {
      order_id: created.body.order_id,
      payment_mode_code: 'upi',
      upi_id: 'asha@okbank',
    },
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.payment_status;
}

function assertNoSecret(text: string): void {
  for (const secret of [keySecret, password]) assert.ok(!text.includes(secret), text);
}

/** Refused while the arguments are parsed: there is no database. */
async function assertUsage(words: string, complaint: RegExp): Promise<void> {
  const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none', MASTER_KEY: testMasterKeyHex };
  const { code, stdout, stderr } = await run(words.split(' '), '', nowhere);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.match(stderr.split('\n')[0] ?? '', complaint);
}

async function assertRefused(words: readonly string[], complaint: RegExp): Promise<void> {
  const { code, stdout, stderr } = await run(words);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, words.join(' '));
  assert.match(stderr, /^[^\n]+\n$/);
  assert.match(stderr, complaint);
}

/** Asserts that --json prints one line with one object and nothing else. */
async function runJson(
  words: readonly string[],
  input = '',
): Promise<{ stdout: string; printed: Printed }> {
  const { code, stdout, stderr } = await run([...words, '--json'], input);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /^\{[^\n]+\}\n$/);
  return { stdout, printed: JSON.parse(stdout) };
}

function run(
  words: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = external,
): Promise<CommandOutcome> {
  // What reads standard input needs a process with one of its own.
  return words.includes('-') ? runCommand(words, env, input) : runCommandHere(words, env);
}
