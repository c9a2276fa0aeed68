/**
 * Phone numbers as shops send them, to one form: a country code with its plus, and the national
 * number as digits. The same number gives the same form in every spelling. Contract 3.10.
 */

import { holdsCardNumber } from '../cards/card-numbers.ts';
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';
import { findCountryCode } from './country-codes.ts';

export type SentPhone = {
  readonly countryCode?: string | number;
  readonly mobileNumber?: string | number;
};

export type Phone = { readonly countryCode: string; readonly mobileNumber?: string };

/** The country of a number that is written without one. Contract 3.4. */
export const countryCodeOtherwise = '91';

/** `at` stands before the names of the fields, as the merchant wrote them. */
export function readPhone(at: string, sent: SentPhone): Phone {
  const written = readNumber(at, sent.mobileNumber);
  const given = readCountryCode(at, sent.countryCode);
  if (!written) return { countryCode: `+${given ?? countryCodeOtherwise}` };
  const countryCode = written.isInternational
    ? countryCodeOf(at, written.digits, given)
    : (given ?? countryCodeOtherwise);
  const national = written.isInternational
    ? written.digits.slice(countryCode.length)
    : written.digits;
  const mobileNumber = national.replace(/^0/, '');
  if (!isNumber(mobileNumber)) refuseNumber(at);
  // No phone number has more digits with its country code; with as many it may look like a card number and be none.
  const isTooLong = written.digits.length > limits.mobileNumberDigitsMax;
  if (holdsCardNumber(mobileNumber) || (isTooLong && holdsCardNumber(written.digits))) {
    refuseField(`${at}mobile_number`, 'holds a card number: send the mobile number instead');
  }
  return { countryCode: `+${countryCode}`, mobileNumber };
}

/** Spaces, dashes, dots and brackets, and marks that copying leaves behind unseen. */
const separators = /[\s\p{Pd}\p{Cf}.()[\]]+/gu;

function readNumber(at: string, sent: SentPhone['mobileNumber']) {
  if (sent === undefined) return undefined;
  // A sign or a point makes no sense in a number; in text they are a spelling.
  if (typeof sent === 'number' && !(Number.isSafeInteger(sent) && sent >= 0)) refuseNumber(at);
  return findWrittenNumber(String(sent)) ?? refuseNumber(at);
}

export type WrittenNumber = {
  /** A plus or 00 stood before it, so that it begins with a country code. */
  readonly isInternational: boolean;
  readonly digits: string;
};

/** As most are written: there is nothing to take away from it. */
const plainNumber = /^[1-9]\d{3,14}$/;

/** The digits of a phone number in any spelling; undefined for any other text. */
export function findWrittenNumber(text: string): WrittenNumber | undefined {
  if (plainNumber.test(text)) return { isInternational: false, digits: text };
  // Full-width digits are digits.
  const plain = text.normalize('NFKC').replaceAll(separators, '');
  const [, prefix, digits = ''] = /^(\+|00)?(\d+)$/.exec(plain) ?? [];
  if (digits.length < limits.mobileNumberDigitsMin) return undefined;
  return { isInternational: prefix !== undefined, digits };
}

/** The code that an international number begins with: that which was given, or any there is. */
function countryCodeOf(at: string, digits: string, given: string | undefined): string {
  if (given !== undefined && digits.startsWith(given)) return given;
  const found = findCountryCode(digits);
  if (given !== undefined) {
    refuseField(
      `${at}mobile_number`,
      found === undefined
        ? `does not begin with the country code +${given} that country_code names: correct one of them`
        : `begins with the country code +${found}, but country_code is +${given}: correct one of them`,
    );
  }
  return (
    found ??
    refuseField(
      `${at}mobile_number`,
      'begins with no known country code: correct it, or send the code in country_code',
    )
  );
}

function readCountryCode(at: string, sent: SentPhone['countryCode']): string | undefined {
  if (sent === undefined) return undefined;
  const code = /^(?:\+|00)?([1-9]\d{0,3})$/.exec(String(sent).trim())?.[1];
  return (
    code ??
    refuseField(`${at}country_code`, 'must be a telephone country code such as 91, +91 or 0091')
  );
}

export function isNumber(digits: string): boolean {
  const { mobileNumberDigitsMin: min, mobileNumberDigitsMax: max } = limits;
  return digits.length >= min && digits.length <= max;
}

function refuseNumber(at: string): never {
  const { mobileNumberDigitsMin: min, mobileNumberDigitsMax: max } = limits;
  refuseField(
    `${at}mobile_number`,
    `must be ${min} to ${max} digits, such as 9876543210 or +91 98765 43210: spaces, dashes, dots, brackets and a leading + or 00 with the country code are accepted`,
  );
}
