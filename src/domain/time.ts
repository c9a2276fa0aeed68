/** Timestamps in the contract's formats, always UTC. */

/** The time is passed in, so that tests can set it. */
export type Clock = () => Date;

/** `YYYY-MM-DD HH:MM:SS.ffffff`, the form of `order_date`. Contract 3.6. */
export const spacedTimestamp = (time: Date): string => microsecondTimestamp(time).replace('T', ' ');

/** `YYYY-MM-DDTHH:MM:SS.ffffff`, the form of the token expirations. Contract 3.6. */
export const microsecondTimestamp = (time: Date): string => `${isoTimestamp(time).slice(0, -1)}000`;

/** Like `toISOString`, but faster: the text of each second is cached. */
export function isoTimestamp(time: Date): string {
  const milliseconds = time.getTime();
  const second = Math.floor(milliseconds / 1000);
  return `${textOfSecond(second)}.${String(milliseconds - second * 1000).padStart(3, '0')}Z`;
}

const cachedSecondsMax = 100;
const secondTexts = new Map<number, string>();

function textOfSecond(second: number): string {
  const known = secondTexts.get(second);
  if (known !== undefined) return known;
  if (secondTexts.size >= cachedSecondsMax) secondTexts.clear();
  const text = new Date(second * 1000).toISOString().slice(0, -'.000Z'.length);
  secondTexts.set(second, text);
  return text;
}

export function addSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}

export function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}
