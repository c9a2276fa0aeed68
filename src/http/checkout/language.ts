/** Chooses the language of a consumer's pages: the one they switched to, or the first they accept. Contract 14.4. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, setCookie } from '../cookies.ts';
import type { HttpContext } from '../http-context.ts';
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
