/** What a test run prints at its end. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { projectDir } from '../tools/harness/project.ts';
import { makeTemporaryFolder } from '../tools/harness/temporary-folder.ts';
import { timesVariable } from './support/run-variables.ts';

const someSkipped = `
import { describe, test } from 'node:test';
test('runs', () => {});
test('one', { skip: 'there is no PHP' }, () => {});
describe('cluster', () => {
  test('two', { skip: 'there is no Citus' }, () => {});
  test('three', { skip: 'there is no Citus' }, () => {});
});
test('four', (t) => t.skip('there is no Citus'));
describe('five', { skip: 'there is no proxy' }, () => { test('hidden', () => {}); });
test('six', { skip: true }, () => {});
`;

test('a run ends with one line for each reason for which tests were skipped', async () => {
  const output = await runTests(someSkipped);
  assert.match(output, /✔ runs/);
  const [, end] = output.split(/^ℹ duration_ms .*\n/m);
  assert.deepEqual(end?.trimEnd().split('\n'), [
    '3 skipped: there is no Citus',
    '1 skipped: there is no PHP',
    '1 skipped: there is no proxy',
    '1 skipped: no reason given',
  ]);
});

test('a run that skipped nothing ends without such a line', async () => {
  const output = await runTests(`import { test } from 'node:test';\ntest('runs', () => {});\n`);
  assert.match(output, /\nℹ duration_ms \S+\n$/);
});

test('a run with --times lists how long the tests of each file took', async () => {
  const text = `import { test } from 'node:test';\ntest('runs', () => {});\n`;
  const output = await runTests(text, { [timesVariable]: 'yes' });
  assert.match(output, /\nℹ duration_ms \S+\n +\d+\.\d s {2}\S*some\.test\.mjs\n$/);
});

/** As test/run.ts does it, without the database. */
async function runTests(text: string, more: NodeJS.ProcessEnv = {}): Promise<string> {
  const folder = await makeTemporaryFolder('payment-order-service-reporter-');
  try {
    const file = join(folder.path, 'some.test.mjs');
    await writeFile(file, text);
    // Without this variable Node would take the run for a part of this one.
    const { NODE_TEST_CONTEXT: _own, [timesVariable]: _times, ...env } = process.env;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--test', '--test-reporter=./test/support/reporter.ts', file],
      { cwd: projectDir, env: { ...env, FORCE_COLOR: '0', ...more } },
    );
    return stdout;
  } finally {
    await folder.remove();
  }
}
