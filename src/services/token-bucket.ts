/** A token bucket: a number of requests per second, and a burst of as many after one idle second. */

export type Bucket = { readonly tokens: number; readonly atMs: number };

/** The bucket after one request, or undefined when it has no token left. */
export function takeToken(bucket: Bucket | undefined, perSecond: number, nowMs: number) {
  const tokens = countTokens(bucket, perSecond, nowMs);
  return tokens < 1 ? undefined : { tokens: tokens - 1, atMs: nowMs };
}

export function countTokens(bucket: Bucket | undefined, perSecond: number, nowMs: number): number {
  if (!bucket) return perSecond;
  // A clock that is set back neither adds nor removes tokens.
  const idleMs = Math.max(0, nowMs - bucket.atMs);
  return Math.min(perSecond, bucket.tokens + (idleMs * perSecond) / 1_000);
}
