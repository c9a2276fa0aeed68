/** How long an old secret stays valid beside the new one: `90s`, `30m`, `24h`, `15d`. */
import { UsageError } from './command.ts';

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export function readOverlap(text: string): number {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (!match) throw new UsageError('--overlap must be a number with s, m, h or d, such as 24h.');
  return Number(match[1]) * (secondsPerUnit[match[2] ?? ''] ?? 0);
}
