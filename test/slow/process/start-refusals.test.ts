import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { explainFolderError } from '../../../src/embedded-postgres/data-folder.ts';
import {
  makeMasterKeyOnce,
  readMasterKeys,
} from '../../../src/embedded-postgres/master-key-file.ts';
import { openDatabase } from '../../../src/postgres/database.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createAccount } from '../../../src/use-cases/accounts/create-account.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import {
  createTemporaryFolder,
  runFailingStart,
  startServiceProcess,
} from '../../support/service-process.ts';
import { clusterAddress, createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

type Refused = Parameters<typeof runFailingStart>;

const password = 'hunter2';
const folder = await createTemporaryFolder();
const dataDir = join(folder, 'running');
const running = await startServiceProcess({ DATA_DIR: dataDir });
const { database, url } = await createTestDatabase();
const isRoot = process.getuid?.() === 0;

describe('a start that cannot succeed ends with exit code 1 and one line', {
  concurrency: 2,
}, () => {
  test('when the port is taken', async () => {
    const line = await refuse({ DATA_DIR: join(folder, 'other'), PORT: String(running.port) });
    assert.equal(
      line,
      `Port ${running.port} on 127.0.0.1 is already in use: stop the other program, or set PORT to a free one.`,
    );
  });

  test('when another running service has the data folder', async () => {
    const line = await refuse({ DATA_DIR: dataDir });
    assert.equal(
      line,
      `The data folder ${dataDir} is in use by another running service: stop that one, or set DATA_DIR to another folder.`,
    );
    assert.equal((await running.call('/readyz')).status, 200, 'the other one goes on');
  });

  test('when PORT is not a port', async () => {
    const line = await refuse({ DATA_DIR: dataDir, PORT: 'http' });
    assert.equal(line, 'PORT must be a whole number from 1 to 65535.');
  });

  test('when HOST is not an address of this machine', async () => {
    for (const host of ['192.0.2.1', 'no-such-host.invalid']) {
      const line = await refuse({ DATA_DIR: join(folder, 'other'), HOST: host });
      assert.equal(
        line,
        `HOST ${host} is not an address of this machine: set HOST to one that is.`,
      );
    }
  });

  test('when MASTER_KEY is missing', async () => {
    assert.match(await refuse({ DATABASE_URL: url }), /^MASTER_KEY is missing: .+\.$/);
  });

  test('when DATABASE_URL is not a URL', async () => {
    const line = await refuseExternal(`postgres://service:${password}@db:port/orders`);
    assert.match(line, /DATABASE_URL/);
  });

  test('when the database does not exist', async () => {
    const line = await refuseExternal(url.replace(/test_\w+/, 'no_such_database'));
    assert.match(line, /^The database of DATABASE_URL .*"no_such_database" does not exist.*\.$/);
  });

  test('when the password is wrong', async () => {
    const role = await createRoleWithPassword('another');
    const line = await refuseExternal(url.replace(/postgres@/, `${role}:${password}@`));
    assert.match(line, /^The database of DATABASE_URL .*password authentication failed.*\.$/);
  });

  test('when MASTER_KEY is not the key that tokens were signed with', async () => {
    const services = createTestServices();
    await issueMerchantToken(services, 'acc_0000000000000000');
    assert.match(await refuseExternal(url), /^MASTER_KEY is not the one .+\.$/);
  });

  test('when MASTER_KEY is not the key that account secrets were sealed with, even if no token was signed', async () => {
    const other = await createTestDatabase();
    await createAccount(createTestServices(other.database), { name: 'Shop' }, commandLine);
    assert.match(await refuseExternal(other.url), /^MASTER_KEY is not the one .+\.$/);
  });

  test('when the data folder would be inside a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    assert.match(await refuse({ DATA_DIR: join(file, 'data') }), folderLine(join(file, 'data')));
    assert.match(await refuse({ DATA_DIR: file }), folderLine(file));
  });

  test('when the user may not create the data folder', async () => {
    const closed = await makeClosedFolder('parent');
    const line = await refuse({ DATA_DIR: join(closed, 'data') }, withoutOverride());
    assert.match(line, /data may not be used by this user: .+\.$/);
  });

  test('when the user may not write to the existing data folder', async () => {
    const closed = await makeClosedFolder('itself');
    const line = await refuse({ DATA_DIR: closed }, withoutOverride());
    assert.match(line, /itself may not be used by this user: .+\.$/);
  });

  if (canMount()) {
    test('when the disk is full', async () => {
      const disk = await makeFolder('full');
      const line = await refuse({ DATA_DIR: join(disk, 'data') }, onDisk(disk, 'size=8m'));
      assert.match(line, /data is full: free some space and start again\.$/);
    });

    test('when the data folder would be on a read-only disk', async () => {
      const disk = await makeFolder('read-only');
      const line = await refuse({ DATA_DIR: join(disk, 'data') }, onDisk(disk, 'ro'));
      assert.match(line, /data is on a read-only disk: set DATA_DIR to another folder\.$/);
    });

    test('when the data folder is itself a read-only disk', async () => {
      const disk = await makeFolder('read-only-itself');
      const line = await refuse({ DATA_DIR: disk }, onDisk(disk, 'ro'));
      assert.match(line, /itself is on a read-only disk: set DATA_DIR to another folder\.$/);
    });
  }
});

const troubles = [
  [/ is full: /, 'ENOSPC: no space left on device, write'],
  [/ is full: /, 'EDQUOT: disk quota exceeded, write'],
  [/ is full: /, 'initdb failed: could not write to file "x": No space left on device'],
  [/ read-only disk: /, 'EROFS: read-only file system, mkdir'],
  [/ may not be used by this user: /, 'EACCES: permission denied, mkdir'],
  [/ may not be used by this user: /, 'EPERM: operation not permitted, chown'],
] as const;
for (const [remedy, trouble] of troubles) {
  test(`"${trouble}" is explained with advice`, () => {
    const explained = explainFolderError('/data', new Error(trouble));
    assert.match(explained?.message ?? '', remedy);
    assert.match(explained?.message ?? '', /^The .*\/data .+\.$/);
  });
}

test('an error that is not about the folder is not explained', () => {
  assert.equal(explainFolderError('/data', new Error('out of memory')), undefined);
});

test('a truncated master key is refused with the name of its file, which stays unchanged', async () => {
  const path = join(await makeFolder('cut'), 'master.key');
  await writeFile(path, 'abcdef\n');
  await assert.rejects(readMasterKeys(join(folder, 'cut')), {
    name: 'StartError',
    message: `The file ${path} must hold 64 hexadecimal digits a line: restore it from a backup.`,
  });
  assert.equal(await readFile(path, 'utf8'), 'abcdef\n');
});

test('data whose master key file is missing gets no new key', async () => {
  const dataDir = await makeFolder('orphaned');
  await mkdir(join(dataDir, 'postgres'));
  await makeMasterKeyOnce(dataDir);
  await assert.rejects(readMasterKeys(dataDir), {
    name: 'StartError',
    message: /master\.key cannot be read \(ENOENT\): without it every stored secret is lost/,
  });
});

/** The one line of output, which never contains a password. */
async function refuse(...start: Refused): Promise<string> {
  const { code, output } = await runFailingStart(...start);
  assert.match(output, /^[^\n]+\n$/);
  assert.equal(code, 1);
  assert.ok(!output.includes(password));
  return output.trim();
}

function refuseExternal(databaseUrl: string): Promise<string> {
  return refuse({ DATABASE_URL: databaseUrl, MASTER_KEY: randomBytes(32).toString('hex') });
}

function folderLine(path: string): RegExp {
  return new RegExp(`^The [a-z ]*folder ${path} .+\\.$`);
}

function createTestServices(on = database) {
  return createServices({
    database: on,
    masterKeyHex: testMasterKeyHex,
    settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
  });
}

/** The test cluster requires a password for this role only. */
async function createRoleWithPassword(secret: string): Promise<string> {
  const role = `clerk_${randomBytes(6).toString('hex')}`;
  const cluster = openDatabase(clusterAddress());
  await cluster.query({ text: `create role ${role} login password '${secret}'` });
  const { rows } = await cluster.query<{ hba_file: string }>({ text: 'show hba_file' });
  const path = rows[0]?.hba_file ?? '';
  const before = await readFile(path, 'utf8');
  await writeFile(path, `local all ${role} scram-sha-256\n${before}`);
  await cluster.query({ text: 'select pg_reload_conf()' });
  after(async () => {
    await writeFile(path, before);
    await cluster.query({ text: 'select pg_reload_conf()' });
    await cluster.query({ text: `drop role ${role}` });
    await cluster.close();
  });
  return role;
}

async function makeFolder(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

async function makeClosedFolder(name: string): Promise<string> {
  const path = await makeFolder(name);
  await chmod(path, 0o500);
  return path;
}

/** Drops the privilege of root to write everywhere. */
function withoutOverride(): Refused[1] {
  if (!isRoot) return {};
  const without = ['--inh-caps=-dac_override', '--bounding-set=-dac_override'];
  return { command: ['setpriv', ...without, process.execPath, 'src/main.ts'] };
}

/** Mounting needs privileges that a container may lack; the messages are also tested without it. */
function canMount(): boolean {
  const script = `mount -t tmpfs -o size=8m none "${folder}"`;
  return isRoot && spawnSync('unshare', ['--mount', 'sh', '-c', script]).status === 0;
}

/** Starts the service with a small disk in its own mount namespace, which disappears with it. */
function onDisk(path: string, options: string): Refused[1] {
  const script = `mount -t tmpfs -o ${options} none "${path}" && exec "$0" src/main.ts`;
  return { command: ['unshare', '--mount', 'sh', '-c', script, process.execPath] };
}
