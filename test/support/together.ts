/** Runs the test files of a folder in one process: to start one takes longer than most of them run. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'node:test';

export function runTogether(folder: string): void {
  const names = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  let previous: Promise<unknown> = Promise.resolve();
  for (const name of names.sort()) {
    suite(name, async () => {
      // Suites are set up all at once, and that would be many databases made at the same time.
      const own = previous.then(() => import(join(folder, name)));
      previous = own.catch(() => {});
      await own;
    });
  }
}
