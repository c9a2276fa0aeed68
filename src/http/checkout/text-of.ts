/** Amounts and times as a consumer of a language reads them. */
import { findExponent } from '../../domain/money/currency.ts';
import { formatAmount, type MinorUnits } from '../../domain/money/money.ts';
import { type Html, html } from './html.ts';
import type { Words } from './words/en.ts';

/** Exact: the decimal text is formatted, not a floating-point number. */
export function amountText(words: Words, minor: MinorUnits, currency: string): string {
  const exponent = findExponent(currency) ?? 2;
  return new Intl.NumberFormat(words.locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  }).format(formatAmount(minor, exponent) as Intl.StringNumericLiteral);
}

/** In UTC: the server does not know the time zone of the consumer. The script of the page shows their own. */
export function timeOf(words: Words, time: Date): Html {
  return html`<time datetime="${time.toISOString()}">${timeText(words, time)}</time>`;
}

export function timeText({ locale }: Words, time: Date): string {
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(time);
}
