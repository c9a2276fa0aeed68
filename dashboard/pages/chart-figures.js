/** Amounts of charts: whole minor units, from and to decimal texts. */

/**
 * `118.00` becomes 11800. The place in a chart may be a number; what is written comes from the text.
 * @param {string} amount
 */
export function minorUnits(amount) {
  return Number(BigInt(amount.replace('.', '')));
}

/**
 * Short labels for an axis whose values are minor units.
 * @param {string} currency
 * @returns {(minor: number) => string}
 */
export function compactMoney(currency) {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const format = new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  return (minor) => format.format(decimalText(minor, digits));
}

/**
 * @param {number} minor
 * @param {number} digits
 * @returns {Intl.StringNumericLiteral}
 */
function decimalText(minor, digits) {
  const text = String(Math.round(minor)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return /** @type {Intl.StringNumericLiteral} */ (`${whole}.${text.slice(text.length - digits)}`);
}
