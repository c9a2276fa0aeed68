/** Which passwords are accepted: long ones that few people choose. Other rules make people write them down. Contract 13.2. */
import { refuseField } from '../errors.ts';
import { userLimits } from './limits.ts';

const { passwordCharsMin, passwordCharsMax } = userLimits;

/** Whether a text in lower case is on the list of common passwords. */
type IsListed = (text: string) => boolean;

export function checkPassword(text: string, email: string, isListed: IsListed): string {
  const password = foldPassword(text);
  const { length } = [...password];
  if (length < passwordCharsMin || length > passwordCharsMax) {
    refuseField('password', `must have ${passwordCharsMin} to ${passwordCharsMax} characters`);
  }
  const plain = password.toLowerCase();
  if (plain === email || isCommon(plain, isListed)) {
    refuseField(
      'password',
      'is too easy to guess: many people choose it, or one like it. Choose another, such as four words that do not belong together',
    );
  }
  return password;
}

/** Keyboards produce the same character in different ways. */
export const foldPassword = (text: string): string => text.normalize('NFKC');

/** What is repeated may have up to this many characters and need not be on the list. */
const shortUnitChars = 3;

/** True also for what repeats a common password, writes it backwards, or adds digits before or after it. */
function isCommon(plain: string, isListed: IsListed): boolean {
  const unit = repeatedUnit(plain);
  if (unit.length <= shortUnitChars) return true;
  return [...withoutDigits(plain), ...withoutDigits(unit)]
    .flatMap((core) => [core, repeatedUnit(core)])
    .some((core) => isListed(core) || isListed([...core].reverse().join('')));
}

/** `abab` gives `ab`, and a text without repetition itself. */
const repeatedUnit = (text: string): string => text.slice(0, (text + text).indexOf(text, 1));

/** The text without some or all of the digits at its beginning and its end. */
function* withoutDigits(text: string): Generator<string> {
  const first = text.search(/\D|$/);
  const last = text.length - (/\d*$/.exec(text)?.[0].length ?? 0);
  for (let from = 0; from <= first; from += 1) {
    for (let to = Math.max(last, from + 1); to <= text.length; to += 1) yield text.slice(from, to);
  }
}
