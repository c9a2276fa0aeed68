/** Breaks text into lines of a given width. */
import { widthOf } from './screen.ts';

/** Words are never broken, so a longer word makes a longer line. */
export function wrapText(text: string, width: number): string[] {
  return wrapWords(text.split(/\s+/), width, '');
}

/** A shell command on several lines. Each but the last ends with a backslash, so that all can be pasted. */
export function wrapCommand(command: string, width: number): string[] {
  // Words in quotes stay together: a line break inside them would become part of the argument.
  const words = command.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  return wrapWords(words, width, ' \\');
}

function wrapWords(words: readonly string[], width: number, ending: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const [at, word] of words.entries()) {
    const longer = line === '' ? word : `${line} ${word}`;
    const room = at === words.length - 1 ? width : width - ending.length;
    if (line === '' || widthOf(longer) <= room) {
      line = longer;
      continue;
    }
    lines.push(line + ending);
    line = word;
  }
  return [...lines, line];
}
