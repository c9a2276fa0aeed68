/** Money, numbers and times for people. Amounts are decimal texts: they never become floating point numbers. */

/** The one of the browser. */
const locale = undefined;

/**
 * @param {string} amount Such as `118.00`.
 * @param {string} currency
 */
export function money(amount, currency) {
  // Intl formats a decimal text exactly, also one that no number can hold.
  return moneyFormat(currency).format(/** @type {Intl.StringNumericLiteral} */ (amount));
}

/**
 * Null without an amount or a currency.
 * @param {string | null} amount
 * @param {string | null} currency
 */
export function moneyOf(amount, currency) {
  return amount === null || currency === null ? null : money(amount, currency);
}

/**
 * Of a decimal text, without making a number of it.
 * @param {string | null} amount
 */
export function isPositive(amount) {
  return amount !== null && /[1-9]/.test(amount);
}

/** @type {Map<string, Intl.NumberFormat>} */
const moneyFormats = new Map();

/** @param {string} currency */
function moneyFormat(currency) {
  let format = moneyFormats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat(locale, { style: 'currency', currency });
    moneyFormats.set(currency, format);
  }
  return format;
}

/**
 * With the code of the currency: where two currencies meet, a sign may mean several.
 * @param {string} amount
 * @param {string} currency
 */
export function codedAmount(amount, currency) {
  const { maximumFractionDigits: digits } = moneyFormat(currency).resolvedOptions();
  const format = new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${format.format(/** @type {Intl.StringNumericLiteral} */ (amount))}\u00a0${currency}`;
}

const counts = new Intl.NumberFormat(locale);
const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

/** @param {number} value */
export const count = (value) => counts.format(value);

/**
 * A number with what it counts.
 * @param {number} value
 * @param {string} one
 * @param {string} [several]
 */
export function counted(value, one, several = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : several}`;
}

/**
 * @param {number} part
 * @param {number} whole
 */
export const percent = (part, whole) => (whole === 0 ? '–' : percents.format(part / whole));

const dayAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });

/** @param {string | number | Date} at */
export const time = (at) => dayAndTime.format(new Date(at));
/** @param {string | number | Date} at */
export const exactTime = (at) => exact.format(new Date(at));
/** @param {string | number | Date} at */
export const date = (at) => day.format(new Date(at));

const units = /** @type {const} */ ([
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]);

/**
 * @param {string} at
 * @param {number} [nowMs]
 */
export function ago(at, nowMs = Date.now()) {
  const seconds = (Date.parse(at) - nowMs) / 1_000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return relative.format(Math.round(seconds), 'second');
}

const hourMs = 3_600_000;
/** From then on a deadline is urgent. */
const urgentHours = 72;

/** @param {string} at A deadline. */
export function isUrgent(at, nowMs = Date.now()) {
  return Date.parse(at) - nowMs < urgentHours * hourMs;
}

/**
 * Rounded down: nobody should believe to have more time than there is.
 * @param {string} at A deadline.
 */
export function timeLeft(at, nowMs = Date.now()) {
  const hours = (Date.parse(at) - nowMs) / hourMs;
  if (hours <= 0) return 'deadline passed';
  if (hours < 1) return `${counted(Math.floor(hours * 60), 'minute')} left`;
  return hours < urgentHours
    ? `${counted(Math.floor(hours), 'hour')} left`
    : `${counted(Math.floor(hours / 24), 'day')} left`;
}

/**
 * `payment_failed` becomes `Payment failed`, and `upi_id` becomes `UPI ID`.
 * @param {string} word
 */
export function sentence(word) {
  const abbreviated = word
    .replaceAll('_', ' ')
    .replaceAll(/\b(?:id|ids|upi|url)\b/g, (part) => part.toUpperCase().replace(/S$/, 's'));
  return capital(abbreviated);
}

/**
 * An address without its scheme and query, which are the same everywhere or too long to read.
 * @param {string} url
 */
export function shortUrl(url) {
  const { host, pathname } = new URL(url);
  return host + (pathname === '/' ? '' : pathname);
}

/**
 * A reason of the service as a sentence for people: codes in it become words.
 * @param {string} why
 */
export function reasonText(why) {
  return capital(why.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (code) => code.replaceAll('_', ' ')));
}

/** @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
