/**
 * `CITUS_URL=postgres://… npm run test:citus [-- PATH…]` runs the tests of the API, the store, the journeys and the
 * simulation on a Citus cluster. The URL names its coordinator; docs/deploy.md says how to start one.
 */
import { spawn } from 'node:child_process';

const folders = ['test/api', 'test/store', 'test/journey', 'test/simulation'];

if (process.env.CITUS_URL === undefined) {
  console.error('Set CITUS_URL to the coordinator of a Citus cluster; see docs/deploy.md.');
  process.exit(1);
}
const words = process.argv.slice(2);
const isPath = (word: string) => !word.startsWith('-');
const child = spawn(
  process.execPath,
  [
    new URL('run.ts', import.meta.url).pathname,
    ...(words.some(isPath) ? words : [...words, ...folders]),
  ],
  { stdio: 'inherit' },
);
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('close', (code) => {
  process.exitCode = code ?? 1;
});
