/**
 * `npm test` runs every test file but those of test/slow, `npm run test:slow` those, and `npm run test:file -- PATH…` the
 * files and folders that are named. Flags for `node --test`, such as `--test-name-pattern=refund`, are passed on;
 * `--times` lists at the end how long the tests of each file took.
 *
 * `CITUS_URL=postgres://… npm run test:citus [-- PATH…]` runs the tests on a Citus cluster, all that need no server of
 * their own. The URL names the coordinator; docs/deploy.md says how to start one.
 */
import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { groupFiles } from './support/groups.ts';
import { timesVariable, wholeRunVariable } from './support/run-variables.ts';

const root = new URL('../', import.meta.url).pathname;
const flags = [
  // One more than the cores of a small machine: tests also wait, and those that measure times need a share of a core.
  '--test-concurrency=3',
  '--test-timeout=120000',
  '--test-global-setup=test/support/global-setup.ts',
  '--import=./test/support/record-statements.ts',
];

const citusFolders = ['test/api', 'test/store', 'test/journey', 'test/simulation'];

const isOnCitus = process.argv.includes('--citus');
if (isOnCitus && process.env.CITUS_URL === undefined) {
  console.error('Set CITUS_URL to the coordinator of a Citus cluster; see docs/deploy.md.');
  process.exit(1);
}
const isSlowRun = process.argv.includes('--slow');
const wantsTimes = process.argv.includes('--times');
const own = ['--citus', '--slow', '--times'];
const words = process.argv.slice(2).filter((word) => !own.includes(word));
const paths = words.filter((word) => !word.startsWith('-'));
const files = groupFiles(paths.length === 0 ? listUsual() : paths.flatMap(listFiles));
const given = words.filter((word) => word.startsWith('-'));
// Node wants a destination for each of several reporters, so whoever names one gets that one alone.
const reporter = given.some((word) => word.startsWith('--test-reporter'))
  ? []
  : ['--test-reporter=./test/support/reporter.ts'];
const child = spawn(process.execPath, ['--test', ...flags, ...reporter, ...given, ...files], {
  cwd: root,
  env: {
    NODE_COMPILE_CACHE: 'node_modules/.cache/compile',
    ...process.env,
    ...(words.length === 0 && !isOnCitus && !isSlowRun && { [wholeRunVariable]: 'yes' }),
    ...(wantsTimes && { [timesVariable]: 'yes' }),
  },
  stdio: 'inherit',
});
// A terminal sends Ctrl-C to both; whoever ends this process means the run.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});

function listUsual(): string[] {
  if (isOnCitus) return citusFolders.flatMap(listFiles);
  if (isSlowRun) return listFiles('test/slow');
  return listFiles('test').filter((file) => !file.startsWith('test/slow/'));
}

function listFiles(path: string): string[] {
  const inProject = relative(root, join(process.cwd(), path));
  if (statSync(join(root, inProject)).isFile()) return [inProject];
  const found = globSync(`${inProject}/**/*.test.ts`, { cwd: root });
  if (found.length === 0) throw new Error(`there are no test files in ${path}`);
  return found;
}
