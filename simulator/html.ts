/** The layout of all pages: one style, a banner that says what they are, no external resources. */
import { style } from './style.ts';

/** Escaped text that is safe in a page. */
export type Html = { readonly html: string };

/** Escapes every value that is not `Html` itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { html: parts.reduce((page, part, index) => page + render(values[index - 1]) + part) };
}

type HtmlValue = string | number | Html | readonly Html[] | undefined;

/** `ownStyle` is added to the style of all pages. */
export function page(title: string, body: Html, ownStyle = ''): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${tabIcon}">
<style>${{ html: style + ownStyle }}</style>
</head>
<body>
<header class="simulation"><strong>Simulation:</strong> no money moves</header>
${body}
</body>
</html>
`.html;
}

/** The flash of the partner in the colours of the banner. In the page itself, because pages load nothing. */
const tabIcon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#f2c14e"/><path d="M18 4 6 18h8l-2 10 14-16h-9z" fill="#5b4300"/></svg>',
)}`;

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
};

function render(value: HtmlValue): string {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return 'html' in value ? value.html : value.map(render).join('');
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
