/** The layout of consumers' pages: each is one reply, which only the shop may frame. Contract 14.1 and 14.5. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import type { Account } from '../../domain/accounts/account.ts';
import { shadesOf } from '../../domain/accounts/colour.ts';
import { iconLink } from '../icon.ts';
import { type Html, html, trusted } from './html.ts';
import { type Language, languages } from './language.ts';
import type { Words } from './words/en.ts';

export type Page = {
  readonly language: Language;
  readonly title: string;
  /** Undefined where the shop is not known, such as for a bad address. */
  readonly brand?: Brand | undefined;
  readonly content: Html;
  /** What the script compares with the state of the order to see whether it has changed. */
  readonly state?: string;
  /** Where the script asks for that state, and the page that it loads when it has changed. */
  readonly poll?: { readonly stateUrl: string; readonly pageUrl: string };
  /** Reloads or forwards the page where scripts are off. */
  readonly refresh?: { readonly seconds: number; readonly url: string };
  /** In a frame of the shop's page: what its script needs. Contract 14.8. */
  readonly frame?: Frame | undefined;
  /** Loads the page again after some seconds: it may be gone for a moment only. */
  readonly reload?: { readonly seconds: number; readonly url: string };
  /** False for a page that only says something. */
  readonly hasScript?: boolean;
  /** Where a form may be posted to, redirects included. */
  readonly formAction: 'anywhere' | readonly string[];
  readonly languageUrl?: (language: Language) => string;
};

type Frame = {
  readonly token: string;
  readonly pageUrl: string;
  /** The result as of now, for the page around the frame, and the origins that it may have. */
  readonly message: string;
  readonly origins: readonly string[];
};

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  reply
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', policyOf(page, nonce))
    .header('content-language', languages[page.language].locale)
    .header('vary', 'accept-encoding, accept-language, cookie')
    .type('text/html; charset=utf-8');
  const { markup } = render(page, nonce, trusted(iconLink(reply.request)));
  const accepted = String(reply.request.headers['accept-encoding'] ?? '');
  if (!/\bgzip\b(?!;q=0\b)/.test(accepted)) return reply.send(markup);
  return reply.header('content-encoding', 'gzip').send(gzipSync(markup));
}

/** The script of the page posts it at once. */
export function hiddenForm(
  action: string,
  fields: Readonly<Record<string, string>>,
  button: string,
): Html {
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<div data-submit><form method="post" action="${action}">${inputs}<button>${button}</button></form></div>`;
}

const style = readFileSync(new URL('../../../checkout/checkout.css', import.meta.url), 'utf8');
const script = readFileSync(new URL('../../../checkout/checkout.js', import.meta.url), 'utf8');
const frameScript = readFileSync(new URL('../../../checkout/frame.js', import.meta.url), 'utf8');

/** The browser shows the page when all of it is there: on a slow device, what is shown in parts would move. */
function render(page: Page, nonce: string, icon: Html): Html {
  const { language, title, brand, content, state, poll, reload, frame, hasScript = true } = page;
  const words = languages[language];
  return html`<!doctype html>
<html lang="${words.locale}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${icon}
<link rel="expect" href="#end" blocking="render">
${page.refresh && refreshOf(page.refresh)}${reload && refreshOf(reload)}
<style nonce="${nonce}">${trusted(brandStyle(brand))}
${trusted(style)}</style>
</head>
<body>
${header(words, brand, page)}
<main class="wide columns"${state !== undefined && html` data-state="${state}"`}${poll && html` data-poll="${poll.stateUrl}" data-to="${poll.pageUrl}"`}${reload && html` data-reload="${reload.seconds}" data-to="${reload.url}"`}${frame && dataOf(frame)}>${content}</main>
${brand && support(words, brand)}
${hasScript && html`<script nonce="${nonce}">${trusted(script)}${frame && trusted(frameScript)}</script>`}
<span id="end" hidden></span>
</body>
</html>
`;
}

function dataOf({ token, pageUrl, message, origins }: Frame): Html {
  return html` data-token="${token}" data-page="${pageUrl}" data-message="${message}" data-origins="${origins.join(' ')}"`;
}

function header(words: Words, brand: Brand | undefined, { language, languageUrl }: Page): Html {
  const shop = brand
    ? html`<div class="shop">${picture(brand)}<span>${brand.name}</span></div>`
    : html`<div class="shop"><span>${words.securePayment}</span></div>`;
  return html`<header class="bar"><div class="wide">${shop}${languageUrl && switcher(words, language, languageUrl)}</div></header>`;
}

/** The size is fixed, so that nothing moves when the logo arrives. */
function picture({ logoUrl, name }: Brand): Html {
  return logoUrl === null
    ? html`<span class="initial" aria-hidden="true">${firstLetter(name)}</span>`
    : html`<img class="logo" src="${logoUrl}" width="44" height="44" alt="">`;
}

function firstLetter(name: string): string {
  const [first = { segment: '' }] = new Intl.Segmenter().segment(name.trim());
  return first.segment.toLocaleUpperCase();
}

function switcher(words: Words, current: Language, urlOf: (language: Language) => string): Html {
  const entries = (Object.keys(languages) as Language[]).map((language) => {
    const { language: name, locale } = languages[language];
    return language === current
      ? html`<span class="language quiet" lang="${locale}" aria-current="true">${name}</span>`
      : html`<a class="language" href="${urlOf(language)}" lang="${locale}" hreflang="${locale}">${name}</a>`;
  });
  return html`<nav class="languages" aria-label="${words.switchLanguage}">${entries}</nav>`;
}

function support({ support: words }: Words, brand: Brand): Html | undefined {
  const { supportEmail, supportPhone, supportUrl } = brand;
  const tel = supportPhone?.replaceAll(/[^+\d]/g, '');
  const ways = [
    supportEmail && html`<a class="contact" href="mailto:${supportEmail}">${supportEmail}</a>`,
    supportPhone && html`<a class="contact" href="tel:${tel}">${supportPhone}</a>`,
    supportUrl && html`<a class="contact" href="${supportUrl}">${new URL(supportUrl).host}</a>`,
  ].filter((way) => typeof way === 'object' && way !== null);
  if (ways.length === 0) return undefined;
  return html`<footer><div class="wide support"><span>${words.heading}</span>${ways}</div></footer>`;
}

/** Only without scripts: otherwise the script of the page does it, and axe reports a refresh that it cannot stop. */
function refreshOf({ seconds, url }: { readonly seconds: number; readonly url: string }): Html {
  return html`<noscript><meta http-equiv="refresh" content="${seconds}; url=${url}"></noscript>`;
}

function policyOf({ brand, formAction, hasScript = true }: Page, nonce: string): string {
  const targets = formAction === 'anywhere' ? undefined : formAction.join(' ') || "'none'";
  const frames = brand?.frameOrigins.join(' ') || "'none'";
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src ${hasScript ? `'nonce-${nonce}'` : "'none'"}`,
    "img-src 'self'",
    ...(hasScript ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    ...(targets === undefined ? [] : [`form-action ${targets}`]),
    `frame-ancestors ${frames}`,
  ].join('; ');
}

type Brand = ReturnType<typeof brandOf>;

/** What a page shows of an account, and nothing else of it. */
export function brandOf(account: Account, basePath: string) {
  const { accountId, logo, name, colour, supportEmail, supportPhone, supportUrl } = account;
  const logoUrl = logo && `${basePath}/checkout/logo/${accountId}/${logo.digest}`;
  const { frameOrigins } = account;
  return { name, colour, logoUrl, supportEmail, supportPhone, supportUrl, frameOrigins };
}

function brandStyle(brand: Brand | undefined): string {
  const { light, dark } = shadesOf(brand?.colour ?? null);
  const variables = Object.entries({ light, dark }).map(
    ([scheme, { button, onButton, text }]) =>
      `--button-${scheme}:${button};--on-button-${scheme}:${onButton};--accent-${scheme}:${text};`,
  );
  return `:root{${variables.join('')}}`;
}
