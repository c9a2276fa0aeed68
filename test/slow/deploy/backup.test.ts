/** The backup of the chart as it runs: its script is taken from the rendered manifest, its dumps are restored. */
import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, runProgram } from '../../../tools/harness/command-line.ts';
import { documentOf, documentsOf, everything, given, type Manifest } from '../../support/chart.ts';
import { noDebianPostgres, startDebianPostgres } from '../../support/debian-postgres.ts';
import { createTemporaryFolder } from '../../support/service-process.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const podOf = (values: object): Manifest =>
  documentOf(values, 'CronJob', '-backup').spec.jobTemplate.spec.template.spec;

test('the backup has no rights, no master key, and a volume that outlives the release', () => {
  const { spec } = documentOf(everything, 'CronJob', '-backup');
  assert.equal(spec.concurrencyPolicy, 'Forbid');
  const pod = podOf(everything);
  assert.equal(pod.automountServiceAccountToken, false);
  assert.equal(pod.securityContext.runAsNonRoot, true);
  assert.equal(pod.containers[0].securityContext.readOnlyRootFilesystem, true);
  const [{ projected }, { persistentVolumeClaim }] = pod.volumes;
  const paths = projected.sources.flatMap(({ secret }: Manifest) => secret.items[0].path);
  assert.deepEqual(paths, ['database-url', 'ca.crt']);
  assert.deepEqual(persistentVolumeClaim, { claimName: 'backups' });
  assert.throws(
    () => documentsOf({ ...given, backup: { enabled: true } }),
    /backup.existingClaim is missing/,
  );
  const backup = { ...everything.backup, existingSecret: 'reader', image: 'mirror/postgres:17' };
  const other = podOf({ ...everything, backup });
  assert.equal(other.volumes[0].projected.sources[0].secret.name, 'reader');
  assert.equal(other.containers[0].image, 'mirror/postgres:17');
});

test('a backup can be restored, the newest are kept, and a failed one deletes nothing', {
  skip: noDebianPostgres,
}, async () => {
  const server = await startDebianPostgres();
  const run = async (...words: [string, ...string[]]) => {
    const { code, stderr } = await runProgram(words, server.env);
    assert.equal(code, 0, stderr);
  };
  await run('createuser', '--username=postgres', 'payments');
  await run('createdb', '--username=postgres', '--owner=payments', 'payments');
  const serviceEnv = { DATABASE_URL: server.urlOf('payments'), MASTER_KEY: testMasterKeyHex };
  for (const words of [['migrate'], ['account', 'create', '--name', 'Tea shop']]) {
    const { code, stderr } = await runCommand(words, serviceEnv);
    assert.equal(code, 0, stderr);
  }

  const folder = await createTemporaryFolder();
  const urlFile = join(await createTemporaryFolder(), 'database-url');
  await writeFile(urlFile, `${serviceEnv.DATABASE_URL}\n`);
  const older = ['shop-20260101T021700Z.dump', 'shop-20260102T021700Z.dump'];
  const foreign = ['shop-eu-20260101T021700Z.dump', 'notes.txt'];
  const broken = 'shop-20260103T021700Z.dump.partial';
  for (const name of [...older, ...foreign, broken]) await writeFile(join(folder, name), '');
  const [container] = podOf({
    ...everything,
    backup: { ...everything.backup, keep: 2 },
  }).containers;
  const backUp = () => {
    const env = Object.fromEntries(container.env.map(({ name, value }: Manifest) => [name, value]));
    const here = { DATABASE_URL_FILE: urlFile, BACKUP_FOLDER: folder };
    return runProgram([...container.command, ...container.args] as [string, ...string[]], {
      ...server.env,
      ...env,
      ...here,
    });
  };
  const done = await backUp();
  assert.equal(done.code, 0, done.stderr);
  const left = (await readdir(folder)).filter((name) => !foreign.includes(name)).sort();
  assert.equal(left.length, 2, `${left}`);
  const [kept, newest = ''] = left;
  assert.equal(kept, older[1]);
  assert.match(done.stdout, new RegExp(`^${newest} has \\d{4,} bytes\n$`));
  assert.equal((await stat(join(folder, newest))).mode & 0o777, 0o600);

  await writeFile(urlFile, server.urlOf('nothing'));
  assert.notEqual((await backUp()).code, 0);
  assert.equal((await readdir(folder)).filter((name) => name.endsWith('.dump')).length, 3);

  await run('createdb', '--username=postgres', '--owner=payments', 'restored');
  const options = ['--username=payments', '--no-owner', '--exit-on-error', '--dbname=restored'];
  await run('pg_restore', ...options, join(folder, newest));
  const restoredEnv = { ...serviceEnv, DATABASE_URL: server.urlOf('restored') };
  assert.match((await runCommand(['account', 'list'], restoredEnv)).stdout, /Tea shop/);
});
