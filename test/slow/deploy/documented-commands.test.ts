/**
 * The examples of docs/deploy.md and docs/operations.md: each is run here as it is written, or is on the list of those
 * that need what this machine does not have. Other commands of docs/operations.md are run by
 * test/slow/process/documents.test.ts.
 */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runProgram } from '../../../tools/harness/command-line.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { projectDir } from '../../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../../tools/harness/temporary-folder.ts';
import { noDebianPostgres, startDebianPostgres } from '../../support/debian-postgres.ts';
import { openExamples } from '../../support/documented-steps.ts';
import { runFailingStart, startServiceProcess } from '../../support/service-process.ts';
import { openShell } from '../../support/shell.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const readPage = async (name: string) =>
  openExamples(await readFile(join(projectDir, 'docs', name), 'utf8'));
const deploy = await readPage('deploy.md');
const operations = await readPage('operations.md');

const folder = await makeTemporaryFolder('pos-documented-', 0o755);
after(() => folder.remove());

const examples = {
  filesOfUnit: deploy.take('install -d -m 0755 /etc/payment-order-service'),
  commandLineOfUnit: deploy.take('. /etc/payment-order-service/settings.env'),
  grants: deploy.take('grant usage on schema'),
  distribution: deploy.take('cluster distribute'),
  archive: operations.take('tar -C /srv/payments -cpf'),
  unpack: operations.take('tar -C /srv/restored -xpf'),
  dump: operations.take('pg_dump --format=custom'),
  restore: operations.take('pg_restore --username=payments'),
};

/** By a text of the block. */
const notRun: Readonly<Record<string, string>> = {
  'docker build --tag':
    'needs Docker; test/slow/deploy/image.test.ts carries out the steps of the file',
  'docker buildx build': 'needs Docker and a registry',
  'docker compose up --build': 'needs Docker',
  'docker compose --profile demo up': 'needs Docker; npm run prove:deploy does it with Podman',
  'sh deploy/cluster/make-secrets.sh':
    'needs Docker; test/slow/deploy/cluster.test.ts makes the secrets',
  'exec postgres-2 bash /promote.sh':
    'test/slow/deploy/cluster.test.ts carries it out without Docker',
  'docker volume rm': 'test/slow/deploy/cluster.test.ts carries it out without Docker',
  'kubectl create namespace': 'needs Kubernetes',
  'kubectl --namespace payments scale': 'needs Kubernetes',
  '--from=cronjob/shop-backup': 'needs Kubernetes',
  'exec job/shop-restore -- pg_restore':
    'needs Kubernetes; test/slow/deploy/backup.test.ts restores',
  'git clone': 'needs the network; .ci/run installs',
  'systemctl daemon-reload': 'needs systemd',
  'docker network create citus': 'needs Docker',
  'OTEL_EXPORTER_OTLP_ENDPOINT=http': 'test/slow/process/tracing.test.ts exports to a receiver',
};
for (const part of Object.keys(notRun)) deploy.take(part);

test('every example is run, or on the list of those that cannot', () => {
  assert.deepEqual(deploy.listLeft(), []);
  assert.deepEqual(operations.listLeft(), []);
});

test('every example can be read by a shell', async () => {
  const all = [...deploy.all, ...operations.all];
  assert.ok(all.length > 15);
  for (const block of all) {
    const { code, stderr } = await runProgram(['bash', '-n'], {}, block);
    assert.equal(code, 0, `${block}\n${stderr}`);
  }
});

test('no file that holds a secret is readable by others for a moment, and every master key is shown', () => {
  for (const block of [...deploy.all, ...operations.all]) {
    for (const line of block.split('\n').filter((one) => /rand -hex .*> /.test(one)))
      assert.match(line, /^\(umask 077 && /, line);
    if (/openssl rand -hex|make-secrets/.test(block))
      assert.match(block, /^(cat \S*master.key|echo "\$MASTER_KEY")/m, block);
  }
});

test('the files of the systemd unit have their modes before their contents, and serve the command line', async () => {
  const { url } = await createTestDatabase();
  const here = (text: string) =>
    text
      .replaceAll('/etc/payment-order-service', `${folder.path}/etc`)
      .replaceAll('/var/lib/payment-order-service', `${folder.path}/data`)
      .replaceAll('/opt/payment-order-service', projectDir);
  const shown = await paste(here(examples.filesOfUnit));
  assert.match(shown, /^[0-9a-f]{64}\n$/, 'the master key');
  for (const name of ['master.key', 'settings.env'])
    assert.equal((await stat(join(folder.path, 'etc', name))).mode & 0o777, 0o600, name);
  const settings = join(folder.path, 'etc/settings.env');
  await writeFile(settings, `${await readFile(settings, 'utf8')}DATABASE_URL='${url}'\n`);
  const printed = await paste(here(examples.commandLineOfUnit));
  assert.match(printed, /Tea shop/);
  assert.match(printed, /https:\/\/pay\.example\.com\//);
});

test('the commands for Citus give all settings that a migration needs', async () => {
  const { url } = await createTestDatabase('template0');
  const [upToMigration = ''] = /^[\s\S]*-- migrate\n/.exec(examples.distribution) ?? [];
  const pasted = upToMigration.replace(/DATABASE_URL=\S+/, `DATABASE_URL='${url}'`);
  assert.notEqual(pasted, upToMigration);
  assert.match(await paste(pasted), /^[0-9a-f]{64}\n/);
});

test('the commands for Citus wait until the nodes answer', () => {
  const [nodes = ''] = deploy.all.filter((block) => block.includes('citus_add_node'));
  assert.ok(nodes.indexOf('pg_isready') > nodes.indexOf('docker run'));
  assert.ok(nodes.indexOf('pg_isready') < nodes.indexOf('sql "select'));
});

test('an archive of the data folder is private, and starts elsewhere', async () => {
  const shell = openShell(folder.path, {
    PATH: process.env.PATH,
    PORT: String(await findFreePort()),
  });
  const here = (text: string) =>
    text
      .replaceAll('/srv/', `${folder.path}/`)
      .replaceAll('backup.tar', `${folder.path}/backup.tar`)
      .replace('127.0.0.1:8080', '127.0.0.1:$PORT');
  const dataDir = join(folder.path, 'payments/.data');
  const service = await startServiceProcess({ DATA_DIR: dataDir });
  assert.equal(await service.end('SIGTERM'), 0);
  await paste(here(examples.archive));
  assert.equal((await stat(join(folder.path, 'backup.tar'))).mode & 0o777, 0o600);
  try {
    const { code, output, errors } = await shell.run(here(examples.unpack));
    assert.equal(code, 0, output + errors);
    assert.match(output, /\{"status":"ready"\}/);
  } finally {
    await shell.end();
  }
});

test('a dump of an external database is private, and restored into another one that the role owns', {
  skip: noDebianPostgres,
}, async () => {
  const { env, urlOf } = await prepareServer();
  const settings = { ...env, DATABASE_URL: urlOf('payments'), MASTER_KEY: testMasterKeyHex };
  const here = (text: string) =>
    text
      .replaceAll('orders.dump', `${folder.path}/orders.dump`)
      .replaceAll(/postgres:\/\/\S+\/restored/g, urlOf('restored'));
  await paste(here(examples.dump), settings);
  assert.equal((await stat(join(folder.path, 'orders.dump'))).mode & 0o777, 0o600);
  await paste(here(examples.restore), settings);
  const restored = { ...settings, DATABASE_URL: urlOf('restored') };
  assert.match(await paste('npm run --silent cli -- account list', restored), /Tea shop/);
  const owners = "select distinct tableowner from pg_tables where schemaname = 'public'";
  const words = ['--username=postgres', '--tuples-only', '--no-align', `--command=${owners}`];
  const { stdout } = await runProgram(['psql', ...words, 'restored'], env);
  assert.equal(stdout, 'payments\n');
});

test('after the documented grants a role that may not migrate serves, and cannot change the audit log', {
  skip: noDebianPostgres,
}, async () => {
  const { env, urlOf } = await prepareServer();
  await paste('createuser --username=postgres payments_service', env);
  const serviceEnv = {
    DATABASE_URL: urlOf('payments').replace('payments@', 'payments_service@'),
    MASTER_KEY: testMasterKeyHex,
    MIGRATE: 'no',
  };
  const { code, output } = await runFailingStart(serviceEnv);
  assert.deepEqual([code, output.trim().split('\n').length], [1, 1], output);
  await paste(examples.grants, env);
  const service = await startServiceProcess(serviceEnv);
  assert.equal((await service.call('/readyz')).status, 200);
  assert.equal(await service.end('SIGTERM'), 0);
  for (const change of ['delete from audit', "update audit set action = ''"]) {
    const refused = await runProgram(
      ['psql', '--username=payments_service', `--command=${change}`, 'payments'],
      env,
    );
    assert.match(refused.stderr, /permission denied for table audit/, change);
  }
});

/** A server of an operator with the role and the database of docs/operations.md, migrated, and an account. */
async function prepareServer() {
  const server = await startDebianPostgres();
  await paste('createuser --username=postgres payments', server.env);
  await paste('createdb --username=postgres --owner=payments payments', server.env);
  const settings = { DATABASE_URL: server.urlOf('payments'), MASTER_KEY: testMasterKeyHex };
  await paste('npm run --silent cli -- migrate', settings);
  await paste('npm run --silent cli -- account create --name "Tea shop"', settings);
  return server;
}

/** Runs lines as if they were pasted, up to the first that fails. */
async function paste(text: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram(['bash', '-e'], env, text);
  assert.equal(code, 0, `${text}\n${stderr}`);
  return stdout;
}
