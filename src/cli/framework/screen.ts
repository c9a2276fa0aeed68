/** What is known of the place that text is printed to, and how fields are printed there. */
import { styleText } from 'node:util';
import { withSnakeCase } from '../../domain/json/snake-case.ts';

export type Screen = {
  /** Undefined when standard output is not a terminal: nothing is cut off then. */
  readonly columns: number | undefined;
  readonly hasColours: boolean;
  /** For the age of rows. */
  readonly now: Date;
};

export type Style = Parameters<typeof styleText>[0];

/** The width of help when standard output is not a terminal. */
export const usualColumns = 80;

export function paint(screen: Pick<Screen, 'hasColours'>, style: Style, text: string): string {
  // The caller knows the terminal, so the stream of this process is not asked.
  return screen.hasColours ? styleText(style, text, { validateStream: false }) : text;
}

const segmenter = new Intl.Segmenter();
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u;

/** Columns that a terminal takes for the text, which must not contain control characters. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** At most `width` columns; what is cut off is replaced by an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = '';
  let used = 1;
  for (const { segment } of segmenter.segment(text)) {
    used += wide.test(segment) ? 2 : 1;
    if (used > width) break;
    cut += segment;
  }
  return width < 1 ? '' : `${cut}…`;
}

/** Values come from merchants and providers: a control character could move the cursor or recolour the terminal. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');
}

/** The name of a secret or an option as outcomes print it. */
export function printedName(name: string): string {
  return name.replaceAll('-', '_');
}

/** Names on the left, values on the right, one block per entry of a list. */
export function renderFields(outcome: object): string {
  const fields = Object.entries(withSnakeCase(outcome) as object);
  const width = Math.max(...fields.map(([{ length }]) => length));
  return fields
    .map(([name, value]) => {
      if (Array.isArray(value) && typeof value[0] === 'object') {
        return value.map(renderFields).join('\n\n');
      }
      const text = String(Array.isArray(value) ? value.join(' ') || '-' : (value ?? '-'));
      // A stored body may have several lines.
      const lines = text.split('\n').map(withoutControls);
      return `${name.padEnd(width)}  ${lines.join('\n')}`;
    })
    .join('\n');
}
