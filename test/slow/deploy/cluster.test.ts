/** The servers of compose.cluster.yaml: creation, copy, failover and the way back, by the steps of docs/deploy.md. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { runCommand } from '../../../tools/harness/command-line.ts';
import { projectDir } from '../../../tools/harness/project.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import {
  type ComposeCluster,
  noServers,
  openComposeCluster,
} from '../../support/compose-cluster.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const skip = noServers;

test('both servers have the same scripts, and nothing that depends on one of them would start it', async () => {
  const text = await readFile(join(projectDir, 'compose.cluster.yaml'), 'utf8');
  const { services } = parse(text, { merge: true });
  for (const name of ['postgres-1', 'postgres-2']) {
    const { entrypoint, environment, volumes } = services[name];
    assert.deepEqual(entrypoint, ['bash', '/postgres.sh']);
    assert.equal(environment.NODE, name);
    assert.deepEqual(volumes, [
      `${name}:/var/lib/postgresql`,
      'cluster:/cluster',
      './deploy/cluster/postgres.sh:/postgres.sh:ro',
      './deploy/cluster/promote.sh:/promote.sh:ro',
      './deploy/cluster/primary.sh:/docker-entrypoint-initdb.d/primary.sh:ro',
    ]);
  }
  const needed = Object.values<{ depends_on?: string[] }>(services).flatMap(
    (service) => service.depends_on ?? [],
  );
  assert.deepEqual(needed, ['service-1', 'service-2']);
});

test('by the documented steps a standby takes over, and the former primary comes back as its standby', {
  skip,
}, async () => {
  const cluster = await openComposeCluster();
  const env = { DATABASE_URL: cluster.url, MASTER_KEY: testMasterKeyHex };
  // Nothing has a dependency: the service waits for the servers, and the standby for the primary.
  const starting = startServiceProcess(env, { readySecondsMax: 90 });
  await cluster.start('postgres-2');
  await cluster.start('postgres-1');
  const service = await starting;
  await runCommand(['account', 'create', '--name', 'Tea shop'], env);
  await expectShop(env);
  await expectSynchronous(cluster, 'postgres-1');

  const [failOver = [], comeBack = []] = await readSteps();
  await pasteAll(cluster, failOver);
  await expectShop(env);
  const former = await cluster.start('postgres-1');
  assert.equal(await former.exited, 1);
  assert.match(former.output(), /it was the primary before 127\.0\.0\.3/);

  await pasteAll(cluster, comeBack);
  await expectSynchronous(cluster, 'postgres-2');
  assert.equal(await cluster.query('postgres-1', 'select pg_is_in_recovery()'), 't');

  // The other way round, with the names exchanged.
  await pasteAll(cluster, failOver.map(exchangeNames));
  await expectShop(env);
  await pasteAll(cluster, comeBack.map(exchangeNames));
  await expectSynchronous(cluster, 'postgres-1');
  await expectShop(env);
  assert.equal(await service.end('SIGTERM'), 0);
});

test('an interrupted copy is started again', { skip }, async () => {
  const cluster = await openComposeCluster();
  await cluster.start('postgres-1');
  await cluster.waitUntilHealthy('postgres-1');
  const slow = join(cluster.binFolder, 'pg_basebackup');
  const next = '"$(type -ap pg_basebackup | sed -n 2p)"';
  await writeFile(slow, `#!/bin/bash\nexec ${next} --max-rate=1M "$@"\n`, { mode: 0o755 });
  await cluster.start('postgres-2');
  const data = cluster.dataOf('postgres-2');
  const begun = `${data}.copy/PG_VERSION`;
  await waitUntil('a part is copied', () => existsSync(begun) || existsSync(`${data}/PG_VERSION`));
  await cluster.stop('postgres-2', 'SIGKILL');
  await rm(slow);
  await cluster.start('postgres-2');
  await cluster.waitUntilHealthy('postgres-2');
  await expectSynchronous(cluster, 'postgres-1');
  assert.ok(!existsSync(`${data}.copy`));
});

test('a primary that has lost its data is not replaced by an empty one, and two are never promoted', {
  skip,
}, async () => {
  const cluster = await openComposeCluster();
  await cluster.start('postgres-1');
  await cluster.start('postgres-2');
  await cluster.waitUntilHealthy('postgres-2');
  await assert.rejects(
    cluster.execute('postgres-2', ['bash', '/promote.sh']),
    /127\.0\.0\.2 is still running: stop it first/,
  );
  assert.equal(await cluster.query('postgres-2', 'select pg_is_in_recovery()'), 't');
  await cluster.stop('postgres-1', 'SIGKILL');
  await rm(cluster.dataOf('postgres-1'), { recursive: true });
  const empty = await cluster.start('postgres-1');
  assert.equal(await empty.exited, 1);
  assert.match(empty.output(), /it is the primary, and its data are missing/);
  assert.ok(!existsSync(cluster.dataOf('postgres-1')));
  await cluster.execute('postgres-2', ['bash', '/promote.sh']);
  assert.equal(await cluster.query('postgres-2', 'select pg_is_in_recovery()'), 'f');
});

/** The blocks of commands for a failover, and for the way back. */
async function readSteps(): Promise<string[][]> {
  const page = await readFile(join(projectDir, 'docs/deploy.md'), 'utf8');
  const [, section = ''] = /## A cluster of containers\n([\s\S]*?)\n## /.exec(page) ?? [];
  const blocks = [...section.matchAll(/```console\n([\s\S]*?)```/g)].map(([, text = '']) =>
    text
      .replaceAll(/\\\n\s*/g, '')
      .trim()
      .split('\n'),
  );
  const [, ...later] = blocks;
  assert.equal(later.length, 2);
  return later;
}

async function pasteAll(cluster: ComposeCluster, lines: readonly string[]): Promise<void> {
  for (const line of lines) await cluster.paste(line);
}

function exchangeNames(line: string): string {
  return line.replaceAll(/postgres-([12])/g, (_name, digit) => `postgres-${3 - Number(digit)}`);
}

async function expectSynchronous(cluster: ComposeCluster, primary: string): Promise<void> {
  await waitUntil(`commits on ${primary} wait for the standby`, async () => {
    const states = await cluster.query(primary, 'select sync_state from pg_stat_replication');
    return states === 'sync';
  });
}

/** What was created before is there, and more can be. */
async function expectShop(env: Readonly<Record<string, string>>): Promise<void> {
  const created = await runCommand(['account', 'create', '--name', 'Another shop'], env);
  assert.equal(created.code, 0, created.stderr);
  const { stdout } = await runCommand(['account', 'list'], env);
  assert.match(stdout, /Tea shop/);
}
