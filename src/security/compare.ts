/** Comparison of secrets in a time that tells nothing about where they differ. */
import { hash, timingSafeEqual } from 'node:crypto';

/** Digests first, so that lengths may differ without being told apart by time. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** For signatures, whose length is no secret and which need no digest of their own. */
export function equalDigests(left: string, right: string): boolean {
  const [known, given] = [Buffer.from(left), Buffer.from(right)];
  return known.length === given.length && timingSafeEqual(known, given);
}

/** True when one of `known` equals `given`; looks at all of them whatever the first one says. */
export function matchesAny(known: readonly string[], given: string): boolean {
  let matches = false;
  for (const secret of known) matches = equalSecrets(secret, given) || matches;
  return matches;
}

/** Tells one long random secret from another without telling anything of it. */
export function markOf(secret: string): string {
  return digest(secret).toString('hex').slice(0, 8);
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
