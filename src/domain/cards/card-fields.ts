/**
 * The card number firewall for whole bodies: decides by names which texts are card fields, which are security codes and
 * which are exempt. Contract 8.5.
 */

import { limits } from '../limits.ts';
import { maskCardField, maskCardNumbers } from './card-numbers.ts';

/** What a provider's body may hold although it looks like a card number, by the path of the field. */
export type ExemptFields = {
  /** The provider's own references. */
  readonly references: RegExp;
  readonly amounts: RegExp;
  /** What came of the check of a security code: named like one and none itself. */
  readonly checkResults?: RegExp;
};

/** Everything with card numbers masked and security codes left out; the same value when there was nothing to do. */
export function maskFields<Value>(value: Value, exempt?: ExemptFields): Value {
  const masked = maskValue(value, outside(exempt));
  return masked === dropped ? (undefined as Value) : (masked as Value);
}

/** One name and value, such as a custom attribute; undefined for a security code. */
export function maskPair(name: string, value: string): readonly [string, string] | undefined {
  if (isSecurityCode(name)) return undefined;
  return [maskCardNumbers(name), isCardField(name) ? maskCardField(value) : maskCardNumbers(value)];
}

/** One field of a form, by the names that lead to it; undefined for a security code. */
export function maskField(
  names: readonly string[],
  value: string,
  exempt: ExemptFields,
): string | undefined {
  const place = names.reduce((around, name) => placeOf(name, around), outside(exempt));
  const masked = maskValue(value, place);
  return masked === dropped ? undefined : String(masked);
}

type Place = {
  readonly name: string;
  /** The object that it is a field of. */
  readonly around: Place | undefined;
  readonly isCard: boolean;
  readonly isCode: boolean;
  readonly exempt: ExemptFields | undefined;
};

function outside(exempt: ExemptFields | undefined): Place {
  return { name: '', around: undefined, isCard: false, isCode: false, exempt };
}

const dropped = Symbol('dropped');

function maskValue(value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return maskEntries(value, place);
  if (typeof value === 'object' && value !== null) return maskEntries(value, place);
  if (place.isCode && !isCheckResult(place)) return dropped;
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value);
  const masked = place.isCard ? maskCardField(text) : maskCardNumbers(text);
  return masked === text || isExempt(value, place) ? value : masked;
}

function maskEntries(value: object, place: Place): unknown {
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, entry] of Object.entries(value)) {
    const maskedName = isList ? name : maskCardNumbers(name);
    const masked = maskValue(entry, isList ? place : placeOf(name, place));
    isChanged ||= masked !== entry || maskedName !== name;
    if (masked !== dropped) entries.push([maskedName, masked]);
  }
  // A security code that is an object is left out with all but the results of its check.
  if (place.isCode && entries.length === 0) return dropped;
  if (!isChanged) return value;
  return isList ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
}

function placeOf(name: string, around: Place): Place {
  return {
    name,
    around,
    isCard: around.isCard || isCardField(name),
    isCode: around.isCode || isSecurityCode(name),
    exempt: around.exempt,
  };
}

/** Looked at only where there is something to mask. An amount is exempt only while it could be one. */
function isExempt(value: unknown, place: Place): boolean {
  const { exempt } = place;
  if (!exempt) return false;
  const path = pathOf(place);
  if (exempt.references.test(path)) return true;
  return exempt.amounts.test(path) && Number(value) <= limits.amountMinorMax;
}

function isCheckResult(place: Place): boolean {
  return place.exempt?.checkResults?.test(pathOf(place)) === true;
}

function pathOf({ name, around }: Place): string {
  if (!around) return '';
  // A name with a dot is not a path of two names.
  const own = name.replaceAll('.', '/');
  const path = pathOf(around);
  return path === '' ? own : `${path}.${own}`;
}

/** Before a name is looked at closely. */
const unusualName = /[^\0-\x7f]|c[vsc]|card|pan|security/i;

const securityCode = /(?:^|[^a-z]|card)(?:cv[vcn]|csc|security[^a-z\d]?code)/i;
const cardField = /card|(?:^|[^a-z])(?:pan|cc)(?:[^a-z]|number|no|num|$)/i;

/** Names that begin with that of a security code, in any spelling, or hold it as a word. */
export function isSecurityCode(name: string): boolean {
  return unusualName.test(name) && securityCode.test(wordsOf(name));
}

export function isCardField(name: string): boolean {
  return unusualName.test(name) && cardField.test(wordsOf(name));
}

/** `cardCvv` as `card_Cvv`. */
function wordsOf(name: string): string {
  return name.normalize('NFKC').replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_');
}

/** Each on its own is found faster than all in one expression. */
const codeNames = /cv[vcn]|csc|security.?code/i;
const exponents = /\d[eE][+-]?\d/;
const escapes = /\\[^"\\/]/;
const digitsOfAnyScript = /\p{Nd}(?:[^A-Za-z\p{N}*"]*\p{Nd}){12}/u;
const notAscii = /[^\0-\x7f]/;

/** True when a body in the provider's own bytes may hold something to mask: only then it is read for it. */
export function mayHoldCardData(body: string): boolean {
  if (mayHold(body)) return true;
  if (!body.includes('%')) return false;
  try {
    return mayHold(decodeURIComponent(body));
  } catch {
    return true;
  }
}

function mayHold(text: string): boolean {
  if (codeNames.test(text) || exponents.test(text) || hasManyDigits(text)) return true;
  if (text.includes('\\') && escapes.test(text)) return true;
  if (!notAscii.test(text)) return false;
  const plain = text.normalize('NFKC');
  return digitsOfAnyScript.test(plain) || codeNames.test(plain) || exponents.test(plain);
}

const [digit, end] = [1, 2];
/** What each ASCII character is to a number: a letter, a quote or a masking character ends it. */
const kinds = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) return digit;
  return /[A-Za-z"*]/.test(character) ? end : 0;
});

/** Thirteen digits with nothing between them that ends a number. Every delivery comes by here. */
function hasManyDigits(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)];
    if (kind === digit) count += 1;
    else if (kind === end) count = 0;
    if (count === 13) return true;
  }
  return false;
}
