/** A token bucket: a number of requests per second, and a burst of as many after one idle second. */

export type Bucket = { readonly tokens: number; readonly atMs: number };

/** The bucket after one request, or undefined when it has no token left. */
export function takeToken(
  bucket: Bucket | undefined,
  perSecond: number,
  nowMs: number,
): Bucket | undefined {
  // A clock that is set back neither adds nor removes tokens.
  const idleMs = bucket ? Math.max(0, nowMs - bucket.atMs) : 0;
  const before = bucket ? bucket.tokens : perSecond;
  const tokens = Math.min(perSecond, before + (idleMs * perSecond) / 1_000);
  return tokens < 1 ? undefined : { tokens: tokens - 1, atMs: nowMs };
}
