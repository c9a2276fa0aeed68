/** Reads when a payment link, and with it its order, expires. Contract 14.6 and 19.2. */
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';

const timePattern =
  /^(\d{4})-(0[1-9]|1[0-2])-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** As existing clients send it: in UTC. */
const spacedPattern = /^\d{4}-\d\d-\d\d (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

export function readLinkExpiry(sent: string, now: Date): Date {
  const text = spacedPattern.test(sent) ? `${sent.replace(' ', 'T')}Z` : sent;
  const [isTime, year, month, day] = timePattern.exec(text) ?? [];
  // `Date` would take 30 February for 2 March.
  const daysOfMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (!isTime || Number(day) < 1 || Number(day) > daysOfMonth) {
    refuseField('expires_at', 'must be a time with its zone, such as 2026-12-31T18:30:00+05:30');
  }
  const expiresAt = new Date(text);
  if (expiresAt <= now) refuseField('expires_at', 'must be in the future');
  const { linkExpiryDaysMax } = limits;
  if (expiresAt.getTime() - now.getTime() > linkExpiryDaysMax * 86_400_000) {
    refuseField('expires_at', `must be at most ${linkExpiryDaysMax} days ahead`);
  }
  return expiresAt;
}
