/**
 * Masks card data in structured values. The name of a field decides whether it is a card field, a security code or
 * exempt from masking. Contract 8.5.
 */
import { limits } from '../limits.ts';
import { maskCardField, maskCardNumbers } from './card-numbers.ts';

/** Fields of a provider's body that may look like card data and are none, matched by their path. */
export type ExemptFields = {
  readonly references: RegExp;
  readonly amounts: RegExp;
  /** Results of a security code check: their names contain that of the code. */
  readonly checkResults?: RegExp;
};

/** The value with card numbers masked and security codes removed; the same object when it has neither. */
export function maskFields<Value>(value: Value, exempt?: ExemptFields): Value {
  const masked = maskValue(value, rootField(exempt));
  return masked === dropped ? (undefined as Value) : (masked as Value);
}

/** Masks one name and value, such as a custom attribute; undefined for a security code. */
export function maskPair(name: string, value: string): readonly [string, string] | undefined {
  if (isSecurityCode(name)) return undefined;
  return [maskCardNumbers(name), isCardField(name) ? maskCardField(value) : maskCardNumbers(value)];
}

/** Masks one form field, given the names on its path; undefined for a security code. */
export function maskField(names: readonly string[], value: string, exempt: ExemptFields) {
  const field = names.reduce((parent, name) => fieldOf(name, parent), rootField(exempt));
  const masked = maskValue(value, field);
  return masked === dropped ? undefined : String(masked);
}

type Field = {
  readonly name: string;
  readonly parent: Field | undefined;
  readonly isCard: boolean;
  readonly isCode: boolean;
  readonly exempt: ExemptFields | undefined;
};

function rootField(exempt: ExemptFields | undefined): Field {
  return { name: '', parent: undefined, isCard: false, isCode: false, exempt };
}

const dropped = Symbol('dropped');

function maskValue(value: unknown, field: Field): unknown {
  if (typeof value === 'object' && value !== null) return maskEntries(value, field);
  if (field.isCode && !isCheckResult(field)) return dropped;
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value);
  const masked = field.isCard ? maskCardField(text) : maskCardNumbers(text);
  return masked === text || isExempt(value, field) ? value : masked;
}

function maskEntries(value: object, field: Field): unknown {
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = [];
  let isChanged = false;
  for (const [name, entry] of Object.entries(value)) {
    const maskedName = isList ? name : maskCardNumbers(name);
    const masked = maskValue(entry, isList ? field : fieldOf(name, field));
    isChanged ||= masked !== entry || maskedName !== name;
    if (masked !== dropped) entries.push([maskedName, masked]);
  }
  // Of an object that is a security code, only the results of its check remain.
  if (field.isCode && entries.length === 0) return dropped;
  if (!isChanged) return value;
  return isList ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
}

function fieldOf(name: string, parent: Field): Field {
  return {
    name,
    parent,
    isCard: parent.isCard || isCardField(name),
    isCode: parent.isCode || isSecurityCode(name),
    exempt: parent.exempt,
  };
}

/** Called only when masking would change the value. An amount field is exempt only up to the largest amount. */
function isExempt(value: unknown, field: Field): boolean {
  const { exempt } = field;
  if (!exempt) return false;
  const path = pathOf(field);
  if (exempt.references.test(path)) return true;
  return exempt.amounts.test(path) && Number(value) <= limits.amountMinorMax;
}

const isCheckResult = (field: Field) => field.exempt?.checkResults?.test(pathOf(field)) === true;

function pathOf({ name, parent }: Field): string {
  if (!parent) return '';
  // A dot within a name must not look like a separator of the path.
  const own = name.replaceAll('.', '/');
  const path = pathOf(parent);
  return path === '' ? own : `${path}.${own}`;
}

/** A cheap test that most names fail, before the expensive ones. */
const maybeCardName = /[^\0-\x7f]|c[vsc]|card|pan|security/i;

const securityCode = /(?:^|[^a-z]|card)(?:cv[vcn]|csc|security[^a-z\d]?code)/i;
const cardField = /card|(?:^|[^a-z])(?:pan|cc)(?:[^a-z]|number|no|num|$)/i;

/** True for names that start with a name of the security code, in any spelling, or contain it as a word. */
export function isSecurityCode(name: string): boolean {
  return maybeCardName.test(name) && securityCode.test(wordsOf(name));
}

export function isCardField(name: string): boolean {
  return maybeCardName.test(name) && cardField.test(wordsOf(name));
}

/** `cardCvv` becomes `card_Cvv`. */
const wordsOf = (name: string) => name.normalize('NFKC').replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_');

/** Separate expressions are faster than one with alternatives. */
const codeNames = /cv[vcn]|csc|security.?code/i;
const exponents = /\d[eE][+-]?\d/;
const escapes = /\\[^"\\/]/;
/** Within percent-encoding too. Decimal ones have many digits anyway. */
const encodedEscapes = /(?:#|23)x|5cu/i;
const digitsOfAnyScript = /\p{Nd}(?:[^A-Za-z\p{N}*"]*\p{Nd}){12}/u;
const notAscii = /[^\0-\x7f]/;

/** False when a raw body certainly has nothing to mask, so that it need not be parsed. */
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
  if (encodedEscapes.test(text)) return true;
  if (!notAscii.test(text)) return false;
  const plain = text.normalize('NFKC');
  return digitsOfAnyScript.test(plain) || codeNames.test(plain) || exponents.test(plain);
}

const [digit, end] = [1, 2];
/** The role of each ASCII character: a letter, a quote or a masking character ends a number. */
const kinds = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) return digit;
  return /[A-Za-z"*]/.test(character) ? end : 0;
});

/** True for thirteen digits without a character between them that ends a number. Runs for every delivery. */
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
