/** How long sign-ins are refused after failures: longer with each, and never for ever. Contract 13.2. */
import { addSeconds } from '../time.ts';
import { userLimits } from './limits.ts';

export type Failures = {
  readonly failures: number;
  readonly lastFailedAt: Date;
  readonly blockedUntil: Date;
};

/** `free` failures have no consequence: people mistype. */
export function decideFailures(before: Failures | undefined, free: number, now: Date): Failures {
  const isForgotten =
    !before || now >= addSeconds(before.lastFailedAt, userLimits.signInFailuresSeconds);
  const failures = isForgotten ? 1 : before.failures + 1;
  const seconds =
    failures < free ? 0 : Math.min(2 ** (failures - free), userLimits.signInDelaySecondsMax);
  return { failures, lastFailedAt: now, blockedUntil: addSeconds(now, seconds) };
}

/** Which failures are worth an entry in the audit log: 1, 2, 4, 8 and so on. */
export const isCountToNote = (failures: number): boolean => Number.isInteger(Math.log2(failures));

/** Seconds to wait, rounded up, or 0. */
export function secondsToWait(blockedUntil: Date, now: Date): number {
  return Math.max(0, Math.ceil((blockedUntil.getTime() - now.getTime()) / 1000));
}
