/** The commands about users of the dashboard. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf } from '../../support/audit.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { jsonCommands, runCommandHere } from '../../support/command-here.ts';
import { join, newEmail, openBrowser, password } from '../../support/dashboard.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const env = {
  DATABASE_URL: service.url,
  MASTER_KEY: testMasterKeyHex,
  PUBLIC_URL: 'http://127.0.0.1:8080',
};
const { runJson, refusalOf } = jsonCommands(env);
const { accountId } = await service.createAccount({ optionalOrderDetails: true });

test('user invite prints a one-time link with the name of this machine, and the link works', async () => {
  const email = newEmail();
  const invited = await runJson(`user invite ${accountId} --email ${email} --role owner`);
  const { link, expires_at, ...rest } = invited;
  assert.deepEqual(rest, { account_id: accountId, email, role: 'owner' });
  const [, token] =
    /^http:\/\/localhost:8080\/dashboard\/invitation\/([\w-]{43})$/.exec(link) ?? [];
  assert.ok(token, link);
  const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24);
  const joined = await openBrowser(service).post(`/invitation/${token}/password`, { password });
  assert.deepEqual([joined.status, joined.body.account.role], [200, 'owner']);
});

test('a link has the public address, with its path', async () => {
  const elsewhere = jsonCommands({ ...env, PUBLIC_URL: 'https://pay.example.com/shop' });
  const words = `user invite ${accountId} --email ${newEmail()} --role viewer`;
  const { link } = await elsewhere.runJson(words);
  assert.match(link, /^https:\/\/pay\.example\.com\/shop\/dashboard\/invitation\//);
});

test('user invite refuses what makes no sense', async () => {
  const email = `--email ${newEmail()}`;
  assert.match(
    await refusalOf(`user invite ${accountId} ${email} --role admin`),
    /^--role must be one of viewer, operator, owner\./,
  );
  assert.match(await refusalOf(`user invite ${accountId} --email nobody --role owner`), /^email /);
  assert.match(
    await refusalOf(`user invite acc_0000000000000000 ${email} --role owner`),
    /^There is no account/,
  );
});

test('user list prints who belongs to which account, and nothing secret', async () => {
  const { userId, email } = await join(service, accountId, 'viewer');
  const { users } = await runJson(`user list --account ${accountId}`);
  const { joined_at, last_seen_at, ...own } = users.find(
    (user: { email: string }) => user.email === email,
  );
  assert.deepEqual(own, {
    user_id: userId,
    email,
    account_id: accountId,
    role: 'viewer',
    password: true,
    passkeys: 0,
  });
  assert.ok(joined_at && last_seen_at);
  const all = await runJson('user list');
  assert.ok(all.users.length >= users.length);
  const { stdout } = await runCommandHere(['user', 'list'], env);
  assert.match(stdout, /^EMAIL +ROLE +ACCOUNT +LAST SEEN +USER/);
});

test('user remove takes a user out, and keeps the last owner', async () => {
  const { accountId: own } = await service.createAccount();
  const owner = await join(service, own, 'owner');
  const viewer = await join(service, own, 'viewer');
  const removed = await runJson(`user remove ${own} --email ${viewer.email.toUpperCase()}`);
  assert.deepEqual([removed.user_id, removed.removed], [viewer.userId, true]);
  assert.equal((await viewer.get('/session')).status, 401);
  assert.match(await refusalOf(`user remove ${own} --email ${viewer.email}`), /has no user/);
  assert.match(await refusalOf(`user remove ${own} --email ${owner.email}`), /only owner/);
  assert.equal((await owner.get('/session')).status, 200);
});

test('user reset ends password, passkeys and sessions in every account, and says so in each log', async () => {
  const email = newEmail();
  const { link } = await runJson(`user invite ${accountId} --email ${email} --role viewer`);
  const browser = openBrowser(service);
  const path = `/invitation/${tokenOf(link)}/passkey`;
  const authenticator = createAuthenticator('http://service.test');
  const options = (await browser.post(`${path}/options`)).body;
  await browser.post(`${path}/verify`, authenticator.create(options));
  assert.equal((await browser.get('/session')).status, 200);

  const reset = await runJson(`user reset --email ${email}`);
  assert.equal(reset.ended_sessions, 1);
  assert.equal((await browser.get('/session')).status, 401);
  const wanted = (await browser.post('/sign-in/passkey/options')).body;
  const again = await browser.post('/sign-in/passkey/verify', authenticator.get(wanted));
  assert.equal(again.status, 401);
  const set = await browser.post(`/invitation/${tokenOf(reset.link)}/password`, { password });
  assert.equal(set.status, 200);
  const { action, actor } =
    (await auditOf(service, accountId)).findLast(({ object }) => object === reset.user_id) ?? {};
  assert.deepEqual([action, actor], ['user.signed_in', email]);
  assert.match(await refusalOf(`user reset --email ${newEmail()}`), /There is no user/);
});

function tokenOf(link: string): string {
  return link.slice(link.lastIndexOf('/') + 1);
}
