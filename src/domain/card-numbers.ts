/**
 * The card number firewall: a full card number in free text is masked before anything is stored or
 * logged. References may look like one by chance and are never touched. Decision 8.4.
 */

/** 13 to 19 digits standing alone that begin as card numbers do. */
const candidates = /(?<!\d)[2-6]\d{12,18}(?!\d)/g;

/** The first six and last four digits stay: enough to recognise a card, too little to use it. */
export function maskCardNumbers(text: string): string {
  if (text.length < 13) return text;
  return text.replace(candidates, (digits) =>
    passesLuhn(digits)
      ? `${digits.slice(0, 6)}${'*'.repeat(digits.length - 10)}${digits.slice(-4)}`
      : digits,
  );
}

/** True when it holds a full card number; cheap enough to ask of every body. */
export function holdsCardNumber(text: string): boolean {
  return (text.match(candidates) ?? []).some(passesLuhn);
}

/** Names of members that hold a security code, in any spelling. */
const securityCodeMember = /^(card_?)?(security_?code|cvv2?|cvc2?|csc)$/i;

/** True when it may hold something to mask, also in an escaped or encoded spelling. */
export function mayHoldCardData(text: string): boolean {
  return holdsCardNumber(text) || /\\u00|%3\d|security_?code|cvv|cvc|csc/i.test(text);
}

/** Members that hold references: ids, receipts, numbers of banks and shops. */
const referenceMember =
  /(^|_)(id|ids|receipt|arn|rrn|utr|invoice|reference|sku|stan|key|code|contact|phone|batch)$|[a-z](Id|Reference|Receipt|Code|Amount)$|^(receipt|reference|stan|contact|amount|terminal|batch|merchant)$/;

/** Masks every text of a value but those of members that hold references. */
export function maskCardNumbersIn(value: unknown, member = ''): unknown {
  if (typeof value === 'string') {
    return isReference(member) ? value : maskCardNumbers(value);
  }
  if (typeof value === 'number') {
    const text = String(value);
    const masked = isReference(member) ? text : maskCardNumbers(text);
    return masked === text ? value : masked;
  }
  if (Array.isArray(value)) return value.map((entry) => maskCardNumbersIn(entry, member));
  if (typeof value !== 'object' || value === null) return value;
  const isCard = /card/i.test(member);
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      isSecurityCode(name, entry)
        ? '***'
        : // Within a card, `number` is the one thing that must never be kept whole.
          maskCardNumbersIn(entry, isCard && name === 'number' ? '' : name),
    ]),
  );
}

function isSecurityCode(member: string, value: unknown): boolean {
  return (
    securityCodeMember.test(member) && (typeof value === 'string' || typeof value === 'number')
  );
}

function isReference(member: string): boolean {
  return referenceMember.test(member) && !/card|pan/i.test(member);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
