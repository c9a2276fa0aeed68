/** Renders an outcome as text: names on the left, values on the right, one block per entry of a list. */
import type { Outcome } from './command.ts';
import { withoutControls } from './screen.ts';

/** The name of a secret or an option as outcomes print it. */
export function printedName(name: string): string {
  return name.replaceAll('-', '_');
}

export function renderFields(outcome: Outcome): string {
  return Object.entries(outcome)
    .map(([name, value]) =>
      isBlocks(value) ? value.map(renderFields).join('\n\n') : renderLine(outcome, name, value),
    )
    .join('\n');
}

function isBlocks(value: unknown): value is Outcome[] {
  return Array.isArray(value) && typeof value[0] === 'object';
}

function renderLine(outcome: Outcome, name: string, value: unknown): string {
  const width = Math.max(...Object.keys(outcome).map(({ length }) => length));
  const text = String(Array.isArray(value) ? value.join(' ') || '-' : (value ?? '-'));
  // A stored body may have several lines.
  const lines = text.split('\n').map(withoutControls);
  return `${name.padEnd(width)}  ${lines.join('\n')}`;
}
