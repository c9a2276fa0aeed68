/** The consumer to erase: how an operator identifies them, and which orders are theirs. Contract 8.7. */
import { limits } from '../limits.ts';
import type { EarlierConsumer, User } from '../orders/order.ts';
import {
  defaultCountryCode,
  findCountryCode,
  findWrittenNumber,
  isNumber,
} from '../orders/phone.ts';
import type { PersonalValues, Phone } from './scrub.ts';

/** A phone number as given by an operator, or as stored in an order. */
export type ConsumerPhone = Phone & {
  /** It was given without a country code, so it may have any. */
  readonly hasAnyCode?: true;
};

/** The e-mail address as given, and every possible reading of the phone number. */
export type Consumer = {
  readonly email: string | undefined;
  readonly phones: readonly ConsumerPhone[];
};

export function findEmail(text: string): string | undefined {
  const email = text.trim();
  return /^[^\s@]+@[^\s@]+$/.test(email) ? email : undefined;
}

/** Equal for all spellings of an address in upper and lower case, with composed or combining accents. */
export const foldEmail = (email: string) => email.normalize('NFC').toLowerCase().normalize('NFC');

/** Numbers of the default country have this many digits; a longer one may include its country code. */
const homeDigits = 10;

/** Reads a phone number by the same rules as an order's. Undefined when the text is none. */
export function findPhones(text: string): readonly ConsumerPhone[] | undefined {
  const written = findWrittenNumber(text);
  if (!written) return undefined;
  const { isInternational, digits } = written;
  // No country code starts with a zero, so a plus before a zero is meaningless.
  const phones =
    isInternational && !digits.startsWith('0') ? readInternational(digits) : readNational(digits);
  return phones.length === 0 ? undefined : phones;
}

function readNational(digits: string): ConsumerPhone[] {
  const number = findNationalNumber(digits);
  if (number === undefined) return [];
  const national = { full: defaultCountryCode + number, number, hasAnyCode: true } as const;
  const mayHoldCode = number.length > homeDigits && findCountryCode(number) !== undefined;
  return mayHoldCode ? [national, ...readInternational(number)] : [national];
}

function readInternational(digits: string): ConsumerPhone[] {
  const code = findCountryCode(digits);
  if (code !== undefined) {
    const number = findNationalNumber(digits.slice(code.length));
    return number === undefined ? [] : [{ full: code + number, number }];
  }
  // A shop may have used an unlisted country code. Its length only matters when a zero follows it.
  const readings = [1, 2, 3, 4].flatMap((length) => {
    const number = findNationalNumber(digits.slice(length));
    return number === undefined ? [] : [digits.slice(0, length) + number];
  });
  return [...new Set(readings)].map((full) => ({ full }));
}

/** A national number without its leading zeros, which never distinguish two numbers. Undefined for a wrong length. */
function findNationalNumber(digits: string): string | undefined {
  if (!isNumber(digits.replace(/^0/, ''))) return undefined;
  return withoutZeros(digits) || undefined;
}

const withoutZeros = (digits: string): string => digits.replace(/^0+/, '');

export function phoneOf({ countryCode, mobileNumber }: User): Required<Phone> | undefined {
  const number = withoutZeros(mobileNumber ?? '');
  if (number === '') return undefined;
  return { full: countryCode.replace(/\D/g, '') + number, number };
}

export function isConsumer(consumer: Consumer, user: User | undefined): boolean {
  const wanted = identifiersOf(consumer);
  return user !== undefined && identifiersOfUser(user).some((own) => wanted.includes(own));
}

/** The identifiers to search for. One in common with a user is a match. */
export function identifiersOf({ email, phones }: Consumer): string[] {
  return [
    ...(email === undefined ? [] : [`mailto:${foldEmail(email)}`]),
    ...phones.map(({ full }) => `tel:${full}`),
    ...phones.flatMap(({ number, hasAnyCode }) => (hasAnyCode ? `national:${number}` : [])),
  ];
}

function identifiersOfUser(user: User): string[] {
  const phone = phoneOf(user);
  return [
    ...(user.email === undefined ? [] : [`mailto:${foldEmail(user.email)}`]),
    ...(phone ? identifiersOfPhone(phone) : []),
  ];
}

function identifiersOfPhone({ full, number }: Required<Phone>): string[] {
  const code = full.slice(0, -number.length);
  // A shop may have sent the country code in its field and again in the number, or only in the number without a plus.
  const mayHoldCode = number.length > homeDigits || number.startsWith(code);
  return [`tel:${full}`, `national:${number}`, ...(mayHoldCode ? [`tel:${number}`] : [])];
}

/** Adds the identifiers that an order loses when its user changes; the same list when it loses none. */
export function addEarlierConsumer(
  earlier: readonly EarlierConsumer[],
  { userId, user }: { readonly userId: string | null; readonly user: User | undefined },
  next: User | undefined,
  digestOf: (identifier: string) => string,
): readonly EarlierConsumer[] {
  if (!user) return earlier;
  const remaining = next ? identifiersOfUser(next) : [];
  const lost = identifiersOfUser(user).filter((identifier) => !remaining.includes(identifier));
  const added = lost
    .map((identifier) => ({ userId, digest: digestOf(identifier) }))
    .filter(
      ({ digest }) => !earlier.some((other) => other.userId === userId && other.digest === digest),
    );
  if (added.length === 0) return earlier;
  return [...earlier, ...added].slice(-limits.earlierConsumersMax);
}

export function valuesOf({ email, phones }: Consumer): PersonalValues {
  return { words: email === undefined ? [] : spellingsOf(email), phones };
}

/** A case-insensitive expression misses letters without a single counterpart in the other case, such as `ß`. */
function spellingsOf(email: string): string[] {
  const upper = email.toUpperCase().normalize('NFC');
  return [...new Set([email.toLowerCase(), foldEmail(email), email, upper])];
}
