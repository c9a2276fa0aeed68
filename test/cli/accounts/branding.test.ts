import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkLogo } from '../../../src/domain/accounts/logo.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { jsonCommands, type Printed } from '../../support/command-here.ts';
import { images, pngOf } from '../../support/images.ts';
import { plainBranding } from '../../support/plain-branding.ts';
import { createTemporaryFolder } from '../../support/service-process.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const { runJson, refusalOf } = jsonCommands({
  DATABASE_URL: service.url,
  MASTER_KEY: testMasterKeyHex,
  PUBLIC_URL: 'https://pay.example.com',
});
const folder = await createTemporaryFolder();
const logo = await store('logo.png', images.png);
const large = await store('large.png', pngOf(65_537));
const drawing = await store('logo.svg', Buffer.from('<svg onload="alert(1)"/>'));
const renamed = await store('page.png', Buffer.from('<!doctype html><script>alert(1)</script>'));
const allOptions = [
  '--colour',
  '#0A7CFF',
  '--logo',
  logo,
  '--support-email',
  'help@shop.example',
  '--support-phone',
  '+91 80 1234 5678',
  '--support-url',
  'https://shop.example/help',
  '--frame-origin',
  'https://shop.example',
  '--frame-origin',
  'https://SHOP.example:443/',
  '--upi-collect',
  'on',
];
const branded = {
  colour: '#0a7cff',
  logo: checkLogo(images.png).digest,
  logo_media_type: 'image/png',
  logo_bytes: 93,
  support_email: 'help@shop.example',
  support_phone: '+91 80 1234 5678',
  support_url: 'https://shop.example/help',
  frame_origins: ['https://shop.example'],
  upi_collect: true,
};

test('a new account has the branding of its options, and none without', async () => {
  const created = await runJson(['account', 'create', '--name', 'Tea shop', ...allOptions]);
  assert.deepEqual(await listed(created.account_id), branded);
  const other = await runJson(['account', 'create', '--name', 'Plain shop']);
  assert.deepEqual(await listed(other.account_id), plainBranding);
});

test('account update changes only the options it is given, and none removes a value', async () => {
  const { account_id } = await runJson(['account', 'create', '--name', 'Tea shop']);
  const update = async (...words: string[]) =>
    brandingOf(await runJson(['account', 'update', account_id, ...words]));
  assert.deepEqual(await update(...allOptions), branded);
  assert.deepEqual(await update('--name', 'Renamed'), branded);
  assert.deepEqual(await update('--colour', '#F0a'), { ...branded, colour: '#ff00aa' });
  const jpeg = await update('--logo', await store('photo.png', images.jpeg));
  // The name of the file says PNG; its bytes count.
  assert.equal(jpeg.logo_media_type, 'image/jpeg');
  const removed = await update(
    '--colour',
    'none',
    '--logo',
    'none',
    '--support-email',
    'none',
    '--support-phone',
    'none',
    '--support-url',
    'none',
    '--frame-origin',
    'none',
    '--upi-collect',
    'off',
  );
  assert.deepEqual(removed, plainBranding);
  assert.deepEqual(await listed(account_id), plainBranding);
  assert.deepEqual(await update('--logo', 'none'), plainBranding);
});

test('a running service uses the new branding within a second', async () => {
  const { account_id } = await runJson(['account', 'create', '--name', 'Tea shop']);
  const { accounts } = service.services;
  assert.equal((await accounts.get(account_id)).logo, null);
  await runJson(['account', 'update', account_id, '--logo', logo, '--colour', '#0a7cff']);
  await waitUntil('it is known', async () => (await accounts.get(account_id)).logo !== null, 3);
  const { colour, logo: known } = await accounts.get(account_id);
  const expected = { digest: branded.logo, mediaType: 'image/png', byteCount: 93 };
  assert.deepEqual({ colour, known }, { colour: '#0a7cff', known: expected });
});

const missing = join(folder, 'missing.png');
const notAccepted = /^logo must be a PNG, JPEG or WebP image; SVG is not accepted, because/;
const refused: ReadonlyArray<readonly [options: readonly string[], complaint: RegExp]> = [
  [['--colour', 'red'], /^--colour must look like '#0a7cff' or '#07f', in quotes, or be none\.$/],
  [['--colour', ''], /^--colour must look like/],
  [
    ['--logo', missing],
    /^--logo must name a file that can be read: .*missing\.png cannot \(ENOENT/,
  ],
  [['--logo', folder], /^--logo must name a file: .* is none\.$/],
  [['--logo', large], /^--logo must name a file of at most 64 KiB: .*large\.png has 65 KiB\.$/],
  [['--logo', drawing], notAccepted],
  [['--logo', renamed], notAccepted],
  [['--support-email', 'help'], /^support email must be an e-mail address/],
  [['--support-email', ''], /^support email must be an e-mail address/],
  [['--support-phone', 'call us'], /^support phone must be a number/],
  [['--support-url', 'http://shop.example'], /^support URL must be an https URL/],
  [['--frame-origin', 'https://shop.example/a'], /^--frame-origin must look like .*, or be none/],
  [['--frame-origin', 'none', '--frame-origin', 'https://shop.example'], /^--frame-origin must/],
  [['--upi-collect', 'yes'], /^--upi-collect must be on or off\.$/],
];
for (const [options, complaint] of refused) {
  const named = options.map((word) => word.split('/').at(-1)).join(' ');
  test(`"${named}" is refused with one sentence and changes nothing`, async () => {
    const { account_id } = await runJson(['account', 'create', '--name', 'Shop', ...allOptions]);
    const before = await dumpTables(service.database);
    assert.match(await refusalOf(['account', 'update', account_id, ...options]), complaint);
    assert.match(await refusalOf(['account', 'create', '--name', 'Shop', ...options]), complaint);
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

async function listed(accountId: string): Promise<Printed> {
  const { accounts } = await runJson('account list');
  return brandingOf(accounts.find((one: Printed) => one.account_id === accountId));
}

function brandingOf(account: Printed): Printed {
  return Object.fromEntries(Object.keys(plainBranding).map((name) => [name, account[name]]));
}

async function store(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}
