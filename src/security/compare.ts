/** Comparison of secrets in constant time. */
import { hash, timingSafeEqual } from 'node:crypto';

/** Compares digests, so that secrets of different lengths take the same time as well. */
export function equalSecrets(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** For signatures: their length is public, so they are compared directly. */
export function equalDigests(left: string, right: string): boolean {
  const [known, given] = [Buffer.from(left), Buffer.from(right)];
  return known.length === given.length && timingSafeEqual(known, given);
}

/** True when one of `known` equals `given`. Compares all of them, so the time does not show which one matched. */
export function matchesAny(known: readonly string[], given: string): boolean {
  let matches = false;
  for (const secret of known) matches = equalSecrets(secret, given) || matches;
  return matches;
}

/** A short fingerprint that distinguishes long random secrets without revealing them. */
export const markOf = (secret: string): string => digest(secret).toString('hex').slice(0, 8);

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
