/**
 * `npm test` runs every test file, `npm run test:file -- PATH…` those of the files and folders that are named.
 * Flags for `node --test`, such as `--test-name-pattern=refund`, are passed on.
 */
import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { groupFiles } from './support/together.ts';

const root = new URL('../', import.meta.url).pathname;
const flags = [
  // One more than the cores of a small machine: tests also wait, and those that measure times need a share of a core.
  '--test-concurrency=3',
  '--test-timeout=120000',
  '--test-global-setup=test/support/global-setup.ts',
];

const words = process.argv.slice(2);
const paths = words.filter((word) => !word.startsWith('-'));
const files = (paths.length === 0 ? ['test'] : paths).flatMap(listFiles);
const child = spawn(
  process.execPath,
  ['--test', ...flags, ...words.filter((word) => word.startsWith('-')), ...files],
  {
    cwd: root,
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/compile', ...process.env },
    stdio: 'inherit',
  },
);
// A terminal sends Ctrl-C to both; whoever ends this process means the run.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});

function listFiles(path: string): string[] {
  const inProject = relative(root, join(process.cwd(), path));
  if (statSync(join(root, inProject)).isFile()) return [inProject];
  const found = groupFiles(globSync(`${inProject}/**/*.test.ts`, { cwd: root }));
  if (found.length === 0) throw new Error(`there are no test files in ${path}`);
  return found;
}
