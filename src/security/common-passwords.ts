/** The list of common passwords, read when the first password is set. docs/decisions/0065. */
import { readFileSync } from 'node:fs';

let listed: ReadonlySet<string> | undefined;

/** In lower case. Variants that repeat a password of the list, or add digits to it, are not in it. */
export function isListed(password: string): boolean {
  listed ??= readList();
  return listed.has(password);
}

function readList(): ReadonlySet<string> {
  const text = readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8');
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  return new Set(lines.join(' ').split(' '));
}
