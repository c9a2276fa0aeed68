/** The reporter of a test run: Node's own, and behind it how many tests were skipped and why, one line for each reason. */
import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts = new Map<string, number>();
  for await (const chunk of Readable.from(noteSkips(events, counts)).pipe(spec())) {
    yield String(chunk);
  }
  const mostFirst = [...counts].sort(([, one], [, other]) => other - one);
  for (const [reason, count] of mostFirst) yield `${count} skipped: ${reason}\n`;
}

/** A suite that is skipped counts once: its tests are not known. */
async function* noteSkips(
  events: AsyncIterable<TestEvent>,
  counts: Map<string, number>,
): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    if (event.type === 'test:pass' && event.data.skip !== undefined) {
      const { skip } = event.data;
      const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    yield event;
  }
}
