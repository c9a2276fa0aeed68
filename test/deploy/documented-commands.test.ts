/** The commands of docs/deploy.md that need more than this machine has, as far as they can be tried here. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '../../tools/harness/command-line.ts';
import { projectDir } from '../../tools/harness/project.ts';
import { createTestDatabase } from '../support/test-database.ts';

const page = await readFile(join(projectDir, 'docs/deploy.md'), 'utf8');
const blocks = [...page.matchAll(/```console\n([\s\S]*?)```/g)].map(([, text = '']) => text);

test('every block of commands can be read by a shell', async () => {
  assert.ok(blocks.length > 8);
  for (const block of blocks) {
    const { code, stderr } = await runProgram(['bash', '-n'], {}, block);
    assert.equal(code, 0, `${block}\n${stderr}`);
  }
});

test('the commands for Citus wait until the nodes answer, and give all settings that a migration needs', async () => {
  const [nodes = ''] = blocks.filter((block) => block.includes('citus_add_node'));
  assert.ok(nodes.indexOf('pg_isready') > nodes.indexOf('docker run'));
  assert.ok(nodes.indexOf('pg_isready') < nodes.indexOf('sql "select'));

  const [distribution = ''] = blocks.filter((block) => block.includes('cluster distribute'));
  const { url } = await createTestDatabase('template0');
  const [upToMigration = ''] = /^[\s\S]*-- migrate\n/.exec(distribution) ?? [];
  const pasted = upToMigration.replace(/DATABASE_URL=\S+/, `DATABASE_URL='${url}'`);
  assert.notEqual(pasted, upToMigration);
  const { code, stderr } = await runProgram(['bash', '-e'], {}, pasted);
  assert.equal(code, 0, stderr);
});
