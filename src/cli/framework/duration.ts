/** Parses a duration, such as `90s`, `30m`, `24h` or `15d`. */
import { UsageError } from './command.ts';

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export function readDuration(option: string, text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (!match) throw new UsageError(`${option} must be a number with s, m, h or d, such as 24h.`);
  return Number(match[1]) * (secondsPerUnit[match[2] ?? ''] ?? 0);
}
