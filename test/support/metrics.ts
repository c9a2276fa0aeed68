import assert from 'node:assert/strict';
import type { TestService } from './test-service.ts';

/** Every sample of a service by its name and labels. */
export async function scrape(service: TestService): Promise<Map<string, number>> {
  const { status, body } = await service.call('/metrics');
  assert.equal(status, 200);
  return readSamples(body);
}

export function movedSince(before: Map<string, number>, now: Map<string, number>) {
  return (name: string) => (now.get(name) ?? 0) - (before.get(name) ?? 0);
}

/** Reads a metrics page. */
export function readSamples(page: string): Map<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const cut = line.lastIndexOf(' ');
      return [line.slice(0, cut), Number(line.slice(cut + 1))];
    }),
  );
}
