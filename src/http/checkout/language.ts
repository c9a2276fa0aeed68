/** The language of a consumer's pages, and amounts and times as it writes them. Contract 14.4. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findExponent } from '../../domain/money/currency.ts';
import { formatAmount, type MinorUnits } from '../../domain/money/money.ts';
import { readCookie, setCookie } from '../cookies.ts';
import type { HttpContext } from '../http-context.ts';
import { type Html, html } from './html.ts';
import { en, type Words } from './words/en.ts';
import { hi } from './words/hi.ts';

export const languages = { en, hi } as const satisfies Record<string, Words>;
export type Language = keyof typeof languages;

const cookieName = 'language';
const yearSeconds = 365 * 24 * 3600;

export function chooseLanguage({ headers }: Pick<FastifyRequest, 'headers'>): Language {
  const chosen = readCookie(headers.cookie, cookieName);
  return findLanguage(chosen) ?? acceptedLanguage(headers['accept-language']) ?? 'en';
}

export function findLanguage(text: unknown): Language | undefined {
  return typeof text === 'string' && Object.hasOwn(languages, text)
    ? (text as Language)
    : undefined;
}

/** Not a secret and not personal data, so the cookie lasts for a year. */
export function keepLanguage(context: HttpContext, reply: FastifyReply, language: Language): void {
  setCookie(context, reply, cookieName, language, { until: yearSeconds, sameSite: 'Lax' });
}

/** Of those that we have, the one with the highest quality; the first of equals. */
function acceptedLanguage(header: string | undefined): Language | undefined {
  let best: { readonly language: Language; readonly quality: number } | undefined;
  for (const range of (header ?? '').slice(0, 1_000).split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const quality = Number(/^ *q=(.*)$/.exec(parameters.join(';'))?.[1] ?? 1);
    const language = tag === '*' ? 'en' : findLanguage(tag.split('-')[0]);
    if (language && quality > (best?.quality ?? 0)) best = { language, quality };
  }
  return best?.language;
}

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
