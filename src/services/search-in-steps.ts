/**
 * Searches a list that no index can filter: reads its newest rows first, a few and then more at a time, until enough of
 * them match or the search has taken long enough. See docs/decisions/0046.
 */
import type { FoundRows, SearchRange } from '../store/search-step.ts';

/** When one of these is exceeded, the search ends with what it has. */
const lookedAtMax = 50_000;
const searchMsMax = 100;
/** The first step is small, because most filters match many rows. Each later one looks at more. */
const firstLookedAt = 250;
const growth = 4;
const oneLookedAtMax = 5_000;

export async function searchInSteps(
  search: (range: SearchRange) => Promise<FoundRows>,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<FoundRows> {
  const startedAtMs = performance.now();
  const ids: string[] = [];
  let lookedAt = 0;
  let next = after;
  for (let size = firstLookedAt; ; size = Math.min(size * growth, oneLookedAtMax)) {
    const step = await search({ before: next, limit: limit - ids.length, lookedAtMax: size });
    ids.push(...step.ids);
    lookedAt += step.lookedAt;
    next = step.next;
    const isOver = lookedAt >= lookedAtMax || performance.now() - startedAtMs > searchMsMax;
    if (next === undefined || ids.length === limit || isOver) return { ids, lookedAt, next };
  }
}
