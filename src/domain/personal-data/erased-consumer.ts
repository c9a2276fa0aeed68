/** Who is to be erased: how an operator names a consumer, and which orders are theirs. Contract 8.7. */

import { limits } from '../limits.ts';
import { findCountryCode } from '../orders/country-codes.ts';
import type { EarlierConsumer, User } from '../orders/order.ts';
import { countryCodeOtherwise, findWrittenNumber, isNumber } from '../orders/phone.ts';
import type { PersonalValues, Phone } from './scrub.ts';

/** A phone number as an operator gave it, or as an order has it. */
export type ConsumerPhone = Phone & {
  /** It was given without a country code, and so may have any. */
  readonly hasAnyCode?: true;
};

/** An e-mail address as it was given, and every reading of a phone number. */
export type Consumer = {
  readonly email: string | undefined;
  readonly phones: readonly ConsumerPhone[];
};

export function findEmail(text: string): string | undefined {
  const email = text.trim();
  return /^[^\s@]+@[^\s@]+$/.test(email) ? email : undefined;
}

/** Equal for one address in any case, also where an accent is a character of its own. */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase().normalize('NFC');
}

/** A number of the home country has so many digits; a longer one may begin with its country code. */
const homeDigits = 10;

/** Read as for an order. Undefined when it is no phone number. */
export function findPhones(text: string): readonly ConsumerPhone[] | undefined {
  const written = findWrittenNumber(text);
  if (!written) return undefined;
  const { isInternational, digits } = written;
  // No country code begins with a zero, so a plus before one says nothing.
  const phones =
    isInternational && !digits.startsWith('0') ? readInternational(digits) : readNational(digits);
  return phones.length === 0 ? undefined : phones;
}

function readNational(digits: string): ConsumerPhone[] {
  const number = findNationalNumber(digits);
  if (number === undefined) return [];
  const national = { full: countryCodeOtherwise + number, number, hasAnyCode: true } as const;
  const mayHoldCode = number.length > homeDigits && findCountryCode(number) !== undefined;
  return mayHoldCode ? [national, ...readInternational(number)] : [national];
}

function readInternational(digits: string): ConsumerPhone[] {
  const code = findCountryCode(digits);
  if (code !== undefined) {
    const number = findNationalNumber(digits.slice(code.length));
    return number === undefined ? [] : [{ full: code + number, number }];
  }
  // A shop may have named a code that no list has. How long it is only matters where a zero follows it.
  const readings = [1, 2, 3, 4].flatMap((length) => {
    const number = findNationalNumber(digits.slice(length));
    return number === undefined ? [] : [digits.slice(0, length) + number];
  });
  return [...new Set(readings)].map((full) => ({ full }));
}

/** As long as that of an order may be, and without the zeros before it, which never tell two numbers apart. */
function findNationalNumber(digits: string): string | undefined {
  if (!isNumber(digits.replace(/^0/, ''))) return undefined;
  return withoutZeros(digits) || undefined;
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+/, '');
}

/** The phone number of a consumer as it is stored. */
export function phoneOf({ countryCode, mobileNumber }: User): Required<Phone> | undefined {
  const number = withoutZeros(mobileNumber ?? '');
  if (number === '') return undefined;
  return { full: countryCode.replace(/\D/g, '') + number, number };
}

export function isConsumer(consumer: Consumer, user: User | undefined): boolean {
  const wanted = identifiersOf(consumer);
  return user !== undefined && identifiersOfUser(user).some((own) => wanted.includes(own));
}

/** By which identifiers a consumer is looked for. One of them in common with a user is enough. */
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
  // A shop may have sent a country code in its own field and before the number, or only there and without a plus.
  const mayHoldCode = number.length > homeDigits || number.startsWith(code);
  return [`tel:${full}`, `national:${number}`, ...(mayHoldCode ? [`tel:${number}`] : [])];
}

type OfOrder = { readonly userId: string | null; readonly user: User | undefined };

/** The earlier consumers of an order whose user changes; the same list where no identifier is lost. */
export function addEarlierConsumer(
  earlier: readonly EarlierConsumer[],
  { userId, user }: OfOrder,
  next: User | undefined,
  digest: (identifier: string) => string,
): readonly EarlierConsumer[] {
  if (!user) return earlier;
  const kept = next ? identifiersOfUser(next) : [];
  const lost = identifiersOfUser(user).filter((identifier) => !kept.includes(identifier));
  const added = lost
    .map((identifier) => ({ userId, digest: digest(identifier) }))
    .filter((entry) => !earlier.some((other) => isSameEarlier(entry, other)));
  if (added.length === 0) return earlier;
  return [...earlier, ...added].slice(-limits.earlierConsumersMax);
}

function isSameEarlier(one: EarlierConsumer, other: EarlierConsumer): boolean {
  return one.userId === other.userId && one.digest === other.digest;
}

/** What a text of any kind may mention of the consumer. */
export function valuesOf({ email, phones }: Consumer): PersonalValues {
  return { words: email === undefined ? [] : spellingsOf(email), phones };
}

/** Where a letter has no single counterpart in the other case, an expression that ignores case does not find it. */
function spellingsOf(email: string): string[] {
  const upper = email.toUpperCase().normalize('NFC');
  return [...new Set([email.toLowerCase(), foldEmail(email), email, upper])];
}
