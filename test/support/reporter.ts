/**
 * The reporter of a test run: Node's own, and behind it how long each file took if that is wanted, and how many tests were
 * skipped and why, one line for each reason.
 */
import { relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';
import { timesVariable } from './run-variables.ts';

const root = new URL('../../', import.meta.url).pathname;

type Tally = { readonly skips: Map<string, number>; readonly msByFile: Map<string, number> };

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const tally: Tally = { skips: new Map(), msByFile: new Map() };
  for await (const chunk of Readable.from(note(events, tally)).pipe(spec())) yield String(chunk);
  if (process.env[timesVariable] !== undefined) {
    for (const [file, ms] of mostFirst(tally.msByFile))
      yield `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}\n`;
  }
  for (const [reason, count] of mostFirst(tally.skips)) yield `${count} skipped: ${reason}\n`;
}

/** A suite that is skipped counts once: its tests are not known. */
async function* note(
  events: AsyncIterable<TestEvent>,
  { skips, msByFile }: Tally,
): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    yield event;
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { skip, file, details } = event.data;
    if (skip !== undefined)
      add(skips, typeof skip === 'string' && skip ? skip : 'no reason given', 1);
    else if (file !== undefined && details.type !== 'suite')
      add(msByFile, relative(root, file), details.duration_ms);
  }
}

function add(counts: Map<string, number>, key: string, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

function mostFirst(counts: ReadonlyMap<string, number>): Array<[string, number]> {
  return [...counts].sort(([, one], [, other]) => other - one);
}
