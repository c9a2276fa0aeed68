/** The file with the demo account, where something else is in its place. */
import assert from 'node:assert/strict';
import { lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { firstStartText, writeDemoEnv } from '../src/process/start-message.ts';
import type { NewAccount } from '../src/use-cases/accounts/create-account.ts';
import { makeTemporaryFolder } from '../tools/harness/temporary-folder.ts';

const url = 'http://127.0.0.1:8080';
const account: NewAccount = {
  accountId: 'acc_1',
  name: 'Demo shop',
  accessKey: 'access_key_1',
  accessSecret: 'access_secret_1',
  webhooks: [],
};
const { path: folder, remove } = await makeTemporaryFolder('pos-demo-env-');
after(remove);
const path = join(folder, 'demo.env');

test('a link is replaced, and what it names stays as it is', async () => {
  const elsewhere = join(folder, 'elsewhere');
  await writeFile(elsewhere, 'mine', { mode: 0o644 });
  await symlink(elsewhere, path);
  assert.equal(await writeDemoEnv(folder, url, account, undefined), path);
  assert.equal(await readFile(elsewhere, 'utf8'), 'mine');
  const written = await lstat(path);
  assert.deepEqual([written.isFile(), written.mode & 0o777], [true, 0o600]);
  assert.match(await readFile(path, 'utf8'), /^ACCESS_SECRET='access_secret_1'$/m);
  await rm(path);
});

test('the credentials are printed even if they cannot be written', async () => {
  await mkdir(join(path, 'inside'), { recursive: true });
  const written = await writeDemoEnv(folder, url, account, undefined);
  assert.equal(written, undefined);
  const text = firstStartText(url, account, written, `${url}/dashboard/invitation/x`);
  assert.match(text, /access_secret +access_secret_1$/m);
  assert.match(text, /Its secrets are shown only now\.$/m);
});
