/** When people in India buy tea: in the evening rather than at night, and more at the weekend. */
import { pickWeighted, type Random } from '../../../simulator/random.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** India has no daylight saving time. */
const offsetMs = 5.5 * hourMs;

/** From midnight on. */
const hours = [
  2, 1, 0.5, 0.3, 0.3, 0.5, 1.5, 3, 5, 6, 7, 8, 9, 9, 7, 6, 6, 7, 10, 13, 15, 14, 10, 5,
];
/** From Sunday on. */
const weekdays = [13, 8, 8.5, 9, 9.5, 11, 14];

/** A time of one of the days before `until`. */
export function timeOfOrder(random: Random, until: Date, days: number): Date {
  const untilMs = until.getTime();
  const startMs = untilMs - days * dayMs;
  const firstMidnight = Math.floor((startMs + offsetMs) / dayMs) * dayMs - offsetMs;
  const midnights = Array.from(
    { length: days + 1 },
    (_day, index) => firstMidnight + index * dayMs,
  );
  for (;;) {
    const midnight = pickWeighted(
      random,
      midnights.map((time) => [time, weekdays[weekdayOf(time)] ?? 0] as const),
    );
    const hour = pickWeighted(random, [...hours.entries()]);
    const time = midnight + hour * hourMs + Math.floor(random() * hourMs);
    if (time > startMs && time < untilMs) return new Date(time);
  }
}

function weekdayOf(midnight: number): number {
  return new Date(midnight + offsetMs).getUTCDay();
}
