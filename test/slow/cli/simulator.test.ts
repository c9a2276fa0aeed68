/** Accounts trust whatever answers at the simulator's address, so they use it only when an operator chose it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startSimulator } from '../../../simulator/simulator.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { createTemporaryFolder, startServiceProcess } from '../../support/service-process.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const usualUrl = 'http://127.0.0.1:8090';
const chosenUrl = 'http://127.0.0.1:9';
const embedded = { DATA_DIR: await createTemporaryFolder() };
const service = await startServiceProcess(embedded);

test('the demo account uses the simulator, and the log warns that it trusts its address', async () => {
  assert.deepEqual(await urlsOf(demoAccountOf(service.output())), [usualUrl, usualUrl]);
  assert.ok(service.output().includes(warningOf(usualUrl)));
});

test('a first start finds the simulator by its name', async () => {
  const simulator = await startSimulator();
  after(simulator.close);
  const env = { DATA_DIR: await createTemporaryFolder(), SIMULATOR_URL: simulator.url };
  const { output } = await startServiceProcess(env);
  assert.deepEqual(await urlsOf(demoAccountOf(output()), env), [simulator.url, simulator.url]);
  assert.ok(output().includes(warningOf(simulator.url)));
});

test('a first start does not trust another program in place of the simulator', async () => {
  const other = await startOtherProgram();
  const env = { DATA_DIR: await createTemporaryFolder(), SIMULATOR_URL: other.url };
  const first = await startServiceProcess(env);
  const accountId = demoAccountOf(first.output());
  const update = `account update ${accountId} --simulator`;
  const sentence = `What answers at ${other.url} is not the simulator, so the demo account does not use it: stop that program, then run "npm run --silent cli -- ${update}".`;
  assert.ok(first.output().includes(`\n${sentence}\n`), first.output());
  assert.ok(!first.output().includes(warningOf(other.url)));
  assert.deepEqual(await urlsOf(accountId, env), []);
  assert.deepEqual(other.calls, ['GET /simulator']);

  assert.equal((await runCommandHere(update.split(' '), env)).code, 0);
  assert.equal(await first.end('SIGTERM'), 0);
  const { output } = await startServiceProcess(env);
  const warning = `What answers at ${other.url} is not the simulator, but ${accountId} (Demo shop) trusts it as both payment providers: stop that program.`;
  assert.ok(output().includes(`${warning}\n`), output());
});

test('another account is not', async () => {
  const { account_id, stderr } = await create(embedded);
  assert.deepEqual(await urlsOf(account_id), []);
  assert.equal(stderr, '');
});

test('an account created with --simulator uses it, with a warning on standard error', async () => {
  const { account_id, stderr } = await create(embedded, '--simulator');
  assert.deepEqual(await urlsOf(account_id), [usualUrl, usualUrl]);
  assert.equal(stderr, `${warningOf(usualUrl)}\n`);
});

test('with SIMULATOR_URL set every new account uses the simulator, unless --no-simulator is given', async () => {
  const env = { ...embedded, SIMULATOR_URL: chosenUrl };
  const told = await create(env);
  assert.deepEqual(await urlsOf(told.account_id), [chosenUrl, chosenUrl]);
  assert.equal(told.stderr, `${warningOf(chosenUrl)}\n`);
  const { account_id, stderr } = await create(env, '--no-simulator');
  assert.deepEqual([await urlsOf(account_id), stderr], [[], '']);
});

test('an account can switch to the simulator later, but not with keys of a real provider', async () => {
  const { account_id } = await create(embedded);
  const update = ['account', 'update', account_id];
  const moved = await runCommandHere([...update, '--simulator', '--json'], embedded);
  assert.deepEqual([moved.code, moved.stderr], [0, `${warningOf(usualUrl)}\n`]);
  assert.deepEqual(await urlsOf(account_id), [usualUrl, usualUrl]);
  const modes = [...update, '--payment-mode', 'upi:off', '--json'];
  assert.equal((await runCommandHere(modes, embedded)).stderr, '');

  const keys = ['--partner-key-id', 'rzp_live_1', '--partner-key-secret', 'secret'];
  assert.equal((await runCommandHere([...update, ...keys], embedded)).code, 0);
  const before = await urlsOf(account_id);
  const refused = await runCommandHere([...update, '--simulator'], embedded);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^--simulator is for accounts without keys of a real provider: /);
  assert.deepEqual(await urlsOf(account_id), before);
});

test('with DATABASE_URL, SIMULATOR_URL alone changes no account, and --simulator does', async () => {
  const { url } = await createTestDatabase();
  const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex, SIMULATOR_URL: chosenUrl };
  const { account_id } = await create(env);
  assert.deepEqual(await urlsOf(account_id, env), []);
  const { account_id: asked, stderr } = await create(env, '--simulator');
  assert.deepEqual(await urlsOf(asked, env), [chosenUrl, chosenUrl]);
  assert.equal(stderr, `${warningOf(chosenUrl)}\n`);
});

/** A web server that knows nothing of payments. */
async function startOtherProgram() {
  const calls: string[] = [];
  const server = createServer(({ method, url }, reply) => {
    calls.push(`${method} ${url}`);
    reply.end('<p>Hello');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

function demoAccountOf(output: string): string {
  return /^ {2}account_id +(\S+)$/m.exec(output)?.[1] ?? '';
}

type Environment = Readonly<Record<string, string>>;

async function create(env: Environment, ...words: readonly string[]) {
  const wish = ['account', 'create', '--name', 'Shop', ...words, '--json'];
  const { code, stdout, stderr } = await runCommandHere(wish, env);
  assert.equal(code, 0, stderr);
  const { account_id } = JSON.parse(stdout) as { account_id: string };
  return { account_id, stderr };
}

/** The provider addresses of the account. */
async function urlsOf(accountId: string, env: Environment = embedded): Promise<string[]> {
  const { stdout } = await runCommandHere(['account', 'list', '--json'], env);
  const { accounts } = JSON.parse(stdout) as {
    accounts: { account_id: string; provider_apis: string[] }[];
  };
  const found = accounts.find(({ account_id }) => account_id === accountId);
  return (found ?? assert.fail()).provider_apis.map((text) => text.split('@')[1] ?? '');
}

function warningOf(url: string): string {
  return `Whoever listens at ${url} is trusted as both payment providers of this account: use it for trials only.`;
}
