/** Options and arguments whose value is one word of a list. */
import { UsageError } from './command.ts';

/** `what` names the value, such as `--status`. */
export function readOneOf<Word extends string>(
  what: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found === undefined) throw new UsageError(`${what} must be one of ${words.join(', ')}.`);
  return found;
}
