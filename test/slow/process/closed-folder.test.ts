/** Starts as root in a folder that the database server's user cannot enter, such as one below /root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { findDatabaseFolder } from '../../../src/embedded-postgres/database-folder.ts';
import { baseEnv, projectDir } from '../../../tools/harness/project.ts';
import { readServerPid } from '../../../tools/harness/server-pid.ts';
import {
  createTemporaryFolder,
  runFailingStart,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';

const run = promisify(execFile);
const machineFolder = '/var/lib/payment-order-service';
const listMachineFolder = () => readdir(machineFolder).catch((): string[] => []);
/** Removes what the tests created there. */
const before = await listMachineFolder();
after(async () => {
  const made = (await listMachineFolder()).filter((name) => !before.includes(name));
  for (const name of made) await rm(join(machineFolder, name), { recursive: true, force: true });
});
const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const skip = isRoot ? false : 'only root can start the server as another user';

test('a checkout closed to others serves, its database server has no privilege, and both are found again', {
  skip,
}, async () => {
  const checkout = await cloneIntoClosedFolder();
  const dataDir = join(checkout, '.data');
  const start = () => startServiceProcess({ LOG_LEVEL: 'warn' }, { cwd: checkout });

  const first = await start();
  const directory = await findDatabaseFolder(dataDir);
  after(() => first.end('SIGTERM'));

  assert.ok(directory.startsWith(`${machineFolder}/`));
  assert.deepEqual(await readdir(dataDir).then((names) => names.includes('postgres')), false);
  const closed = dirname(checkout);
  assert.ok(
    first
      .output()
      .includes(
        `The user that the database runs as cannot enter the folder ${closed}, so the database of ${dataDir} is stored in ${dirname(directory)}: back up both folders.`,
      ),
    first.output(),
  );
  await assertUnprivileged(dataDir);
  assert.equal(await countAccounts(checkout, first), 1);
  assert.equal(await first.end('SIGTERM'), 0);

  const second = await start();
  after(() => second.end('SIGTERM'));
  assert.doesNotMatch(second.output(), /is stored in|access_secret/);
  assert.equal(await countAccounts(checkout, second), 1);
  assert.equal(await second.end('SIGTERM'), 0);

  await rm(dirname(directory), { recursive: true });
  const { code, output } = await runFailingStart({}, { cwd: checkout });
  assert.deepEqual(
    [code, output],
    [
      1,
      `The database of ${dataDir} is stored in ${dirname(directory)}, which does not exist: restore that folder from a backup.\n`,
    ],
  );
});

test('a database inside a closed folder is left alone, and the start fails with advice', {
  skip,
}, async () => {
  const parent = await createTemporaryFolder();
  const dataDir = join(parent, 'data');
  const made = await startServiceProcess({ DATA_DIR: dataDir });
  assert.equal(await made.end('SIGTERM'), 0);
  const files = await readdir(dataDir);
  await chmod(parent, 0o700);

  const { code, output } = await runFailingStart({ DATA_DIR: dataDir });

  assert.deepEqual(
    [code, output],
    [
      1,
      `The user that the database in ${dataDir} runs as cannot enter the folder ${parent}: run "chmod o+x ${parent}", or move ${dataDir} elsewhere and set DATA_DIR.\n`,
    ],
  );
  assert.deepEqual(await readdir(dataDir), files);
  await run('chmod', ['o+x', parent]);
  const again = await startServiceProcess({ DATA_DIR: dataDir });
  assert.doesNotMatch(again.output(), /access_secret/, 'it is no first start');
});

test('a data folder with foreign files keeps its mode, and its database is stored elsewhere', {
  skip,
}, async () => {
  const dataDir = await createTemporaryFolder(0o700);
  await mkdir(join(dataDir, 'letters'));
  const service = await startServiceProcess({ DATA_DIR: dataDir });
  const directory = await findDatabaseFolder(dataDir);
  assert.ok(!directory.startsWith(dataDir));
  assert.equal(await service.end('SIGTERM'), 0);
  // Two databases: only an operator can know which one is right.
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
  const { output } = await runFailingStart({ DATA_DIR: dataDir });
  assert.match(
    output,
    /^There are two databases of .+: one in .+, and one in .+, named by .+\.\n$/,
  );
});

/** A copy of everything that `npm start` needs, as `git clone && npm ci` would create it below /root. */
async function cloneIntoClosedFolder(): Promise<string> {
  const closed = await createTemporaryFolder(0o700);
  const checkout = join(closed, 'checkout');
  await mkdir(checkout);
  const parts = ['src', 'checkout', 'dashboard', 'migrations', 'package.json', 'node_modules'];
  await run('cp', ['-al', ...parts.map((part) => join(projectDir, part)), checkout]);
  return checkout;
}

async function assertUnprivileged(dataDir: string): Promise<void> {
  const status = await readFile(`/proc/${await readServerPid(dataDir)}/status`, 'utf8');
  const read = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1]?.trim();
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) {
    assert.equal(read(set), '0000000000000000', set);
  }
  assert.doesNotMatch(read('Uid') ?? '0', /\b0\b/);
  assert.equal(read('Groups') ?? '', '');
}

/** Runs the command line in the same checkout, as an operator would. */
async function countAccounts(checkout: string, service: ServiceProcess): Promise<number> {
  assert.equal((await service.call('/readyz')).status, 200);
  const words = ['src/cli/main.ts', 'account', 'list', '--json'];
  const { stdout } = await run(process.execPath, words, { cwd: checkout, env: { ...baseEnv } });
  return JSON.parse(stdout).accounts.length;
}
