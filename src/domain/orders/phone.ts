/**
 * Normalises phone numbers as shops send them: a country code with its plus, and the national number as digits.
 * Every spelling of a number gives the same form. Contract 3.10.
 */
import { holdsCardNumber } from '../cards/card-numbers.ts';
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';

export type SentPhone = {
  readonly countryCode?: string | number;
  readonly mobileNumber?: string | number;
};

/** For numbers without a country code. Contract 3.4. */
export const defaultCountryCode = '91';

/** `prefix` precedes the names of fields in refusals, such as `user.`. */
export function readPhone(prefix: string, sent: SentPhone) {
  const written = readNumber(prefix, sent.mobileNumber);
  const given = readCountryCode(prefix, sent.countryCode);
  if (!written) return { countryCode: `+${given ?? defaultCountryCode}` };
  const countryCode = written.isInternational
    ? countryCodeOf(prefix, written.digits, given)
    : (given ?? defaultCountryCode);
  const national = written.isInternational
    ? written.digits.slice(countryCode.length)
    : written.digits;
  const mobileNumber = national.replace(/^0/, '');
  if (!isNumber(mobileNumber)) refuseNumber(prefix);
  // A phone number of up to 15 digits may look like a card number by chance; a longer one is no phone number.
  const isTooLong = written.digits.length > limits.mobileNumberDigitsMax;
  if (
    holdsCardNumber(mobileNumber) ||
    (isTooLong && holdsCardNumber(written.digits)) ||
    hasCardNumberAsGroups(String(sent.mobileNumber), written)
  ) {
    refuseField(`${prefix}mobile_number`, 'holds a card number: send the mobile number instead');
  }
  return { countryCode: `+${countryCode}`, mobileNumber };
}

/**
 * Whether some of the groups of digits are a card number, as in "12 3505.9935.7925.4". The first group of an
 * international number is left out: it is the country code.
 */
function hasCardNumberAsGroups(text: string, { isInternational }: WrittenNumber): boolean {
  const groups = text.normalize('NFKC').replaceAll(separators, ' ');
  return holdsCardNumber(isInternational ? groups.replace(/^\D*(00\D*)?\d+/, '') : groups);
}

/** Spaces, dashes, dots, brackets, and invisible characters left by copying. */
const separators = /[\s\p{Pd}\p{Cf}.()[\]]+/gu;

function readNumber(prefix: string, sent: SentPhone['mobileNumber']) {
  if (sent === undefined) return undefined;
  // A JSON number with a sign or a decimal point is refused; in a string these are separators.
  if (typeof sent === 'number' && !(Number.isSafeInteger(sent) && sent >= 0)) refuseNumber(prefix);
  return findWrittenNumber(String(sent)) ?? refuseNumber(prefix);
}

type WrittenNumber = {
  /** A plus or 00 preceded it, so it starts with a country code. */
  readonly isInternational: boolean;
  readonly digits: string;
};

/** A fast path: most numbers have no separators or prefix. */
const plainNumber = /^[1-9]\d{3,14}$/;

/** The digits of a phone number in any spelling; undefined for any other text. */
export function findWrittenNumber(text: string): WrittenNumber | undefined {
  if (plainNumber.test(text)) return { isInternational: false, digits: text };
  // Normalisation turns full-width digits into plain ones.
  const plain = text.normalize('NFKC').replaceAll(separators, '');
  const [, prefix, digits = ''] = /^(\+|00)?(\d+)$/.exec(plain) ?? [];
  if (digits.length < limits.mobileNumberDigitsMin) return undefined;
  return { isInternational: prefix !== undefined, digits };
}

/** The country code of an international number: the given one, or else the one it starts with. */
function countryCodeOf(prefix: string, digits: string, given: string | undefined): string {
  if (given !== undefined && digits.startsWith(given)) return given;
  const found = findCountryCode(digits);
  if (given === undefined && found !== undefined) return found;
  let why = 'begins with no known country code: correct it, or send the code in country_code';
  if (found !== undefined) {
    why = `begins with the country code +${found}, but country_code is +${given}: correct one of them`;
  } else if (given !== undefined) {
    why = `does not begin with the country code +${given} that country_code names: correct one of them`;
  }
  return refuseField(`${prefix}mobile_number`, why);
}

function readCountryCode(prefix: string, sent: SentPhone['countryCode']): string | undefined {
  if (sent === undefined) return undefined;
  const code = /^(?:\+|00)?([1-9]\d{0,3})$/.exec(String(sent).trim())?.[1];
  return (
    code ??
    refuseField(`${prefix}country_code`, 'must be a telephone country code such as 91, +91 or 0091')
  );
}

export function isNumber(digits: string): boolean {
  const { mobileNumberDigitsMin: min, mobileNumberDigitsMax: max } = limits;
  return digits.length >= min && digits.length <= max;
}

function refuseNumber(prefix: string): never {
  const { mobileNumberDigitsMin: min, mobileNumberDigitsMax: max } = limits;
  refuseField(
    `${prefix}mobile_number`,
    `must be ${min} to ${max} digits, such as 9876543210 or +91 98765 43210: spaces, dashes, dots, brackets and a leading + or 00 with the country code are accepted`,
  );
}

/** The country codes of ITU-T E.164. No code is a prefix of another, so a number matches at most one. */
const countryCodes: ReadonlySet<string> = new Set(
  `1 7
    20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58
    60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98
    211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236
    237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258
    260 261 262 263 264 265 266 267 268 269 290 291 297 298 299
    350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 379
    380 381 382 383 385 386 387 389 420 421 423
    500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599
    670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692
    800 808 850 852 853 855 856 870 878 880 881 882 883 886 888
    960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979
    992 993 994 995 996 998`.split(/\s+/),
);

export function findCountryCode(digits: string): string | undefined {
  return [1, 2, 3].map((length) => digits.slice(0, length)).find((code) => countryCodes.has(code));
}
