/** Which passwords are accepted. Length alone: other rules make people write passwords down. Contract 13.2. */
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';

const { passwordCharsMin, passwordCharsMax } = limits;

export function checkPassword(text: string, email: string): string {
  const password = foldPassword(text);
  const { length } = [...password];
  if (length < passwordCharsMin || length > passwordCharsMax) {
    refuseField('password', `must have ${passwordCharsMin} to ${passwordCharsMax} characters`);
  }
  if (password.toLowerCase() === email || new Set(password).size === 1) {
    refuseField('password', 'is too easy to guess: choose another one');
  }
  return password;
}

/** Keyboards produce the same character in different ways. */
export function foldPassword(text: string): string {
  return text.normalize('NFKC');
}
