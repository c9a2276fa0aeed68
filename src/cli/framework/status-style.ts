/** The colour of a status or state in a table. */
import type { Style } from './screen.ts';

const styles: Readonly<Record<string, Style>> = {
  completed: 'green',
  succeeded: 'green',
  processed: 'green',
  failed: 'red',
  dead: 'red',
  needs_review: 'yellow',
  pending: 'yellow',
  parked: 'yellow',
  authorized: 'yellow',
  reversing: 'yellow',
  reversed: 'red',
  lapsed: 'gray',
  stale: 'gray',
  ignored: 'gray',
  expired: 'gray',
  resolved: 'gray',
};

export function styleOfStatus(status: string): Style | undefined {
  return styles[status];
}
