/** A token bucket: so many requests a second, and as many at once after a second of rest. */

export type Bucket = { readonly tokens: number; readonly atMs: number };

/** The bucket after one request, or undefined when it holds none for it. */
export function takeToken(
  bucket: Bucket | undefined,
  perSecond: number,
  nowMs: number,
): Bucket | undefined {
  // A clock that was set back gives nothing and takes nothing.
  const restedMs = bucket ? Math.max(0, nowMs - bucket.atMs) : 0;
  const before = bucket ? bucket.tokens : perSecond;
  const tokens = Math.min(perSecond, before + (restedMs * perSecond) / 1_000);
  return tokens < 1 ? undefined : { tokens: tokens - 1, atMs: nowMs };
}
