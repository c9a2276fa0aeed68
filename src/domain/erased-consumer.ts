/** Who is to be erased: how an operator names a consumer, and which orders are theirs. Decision 8.7. */
import type { User } from './order.ts';
import type { PersonalValues, Phone } from './scrub.ts';

/** An e-mail address in lower case, and every reading of a phone number. */
export type Consumer = {
  readonly email: string | undefined;
  readonly phones: readonly Phone[];
};

export function findEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+$/.test(email) ? email : undefined;
}

/** The country of a number that is written without one, as for an order. Decision 3.4. */
const homeCode = '91';
/** A number of the home country has so many digits; a longer one begins with the country code. */
const homeDigits = 10;

/** Undefined when it is no phone number; separators do not count, nor does a zero before it. */
export function findPhones(text: string): readonly Phone[] | undefined {
  const match = /^(\+|00)?0*(\d{4,15})$/.exec(text.replace(/[\s().-]/g, ''));
  if (!match) return undefined;
  const [, prefix, digits = ''] = match;
  const international = digits.startsWith(homeCode)
    ? { full: digits, number: digits.slice(homeCode.length) }
    : { full: digits };
  if (prefix !== undefined) return [international];
  const national = { full: homeCode + digits, number: digits };
  return digits.startsWith(homeCode) && digits.length > homeDigits
    ? [national, international]
    : [national];
}

/** The phone number of a consumer as it is stored. */
export function phoneOf({ countryCode, mobileNumber }: User): Phone | undefined {
  const number = mobileNumber?.replace(/^0+/, '') ?? '';
  if (number === '') return undefined;
  return { full: countryCode.replace(/\D/g, '') + number, number };
}

export function isConsumer({ email, phones }: Consumer, user: User | undefined): boolean {
  if (!user) return false;
  if (email !== undefined && user.email?.toLowerCase() === email) return true;
  const own = phoneOf(user);
  if (!own) return false;
  // A shop may have sent the country code twice: in its own field and before the number.
  return phones.some(({ full }) => full === own.full || full === own.number);
}

/** What a text of any kind may mention of the consumer. */
export function valuesOf({ email, phones }: Consumer): PersonalValues {
  return { words: email === undefined ? [] : [email], phones };
}
