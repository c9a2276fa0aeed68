/** Lets other work run during a long computation, so that no request waits for all of it. */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../domain/limits.ts';

/** Like `map`, with pauses between the items. */
export async function mapWithPauses<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
  pauseIfLong = createPauses(),
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    const pause = pauseIfLong();
    if (pause) await pause;
  }
  return results;
}

/**
 * For other loops. Returns a promise to wait for when the computation has run too long without a pause, and undefined
 * otherwise. With `restMs` the pause is that long: nobody waits for the result as long as for what it delays.
 */
export function createPauses(
  msMax: number = limits.eventLoopMsMax,
  restMs = 0,
): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < msMax) return undefined;
    return (restMs > 0 ? delay(restMs) : nextTurn()).then(() => {
      since = performance.now();
    });
  };
}
