/** `--overlap`: how long the former secret or key stays valid beside the new one. */
import type { ValueSpec } from '../framework/command.ts';
import { readDuration } from '../framework/common-options.ts';

export const overlapOption = {
  overlap: {
    type: 'string',
    value: 'DURATION',
    text: 'How long the former one stays valid, such as 90s, 30m, 24h or 15d. 24h unless given.',
  },
} as const satisfies Record<string, ValueSpec>;

export function readOverlap(text: string | undefined): number {
  return readDuration('--overlap', text ?? '24h');
}
