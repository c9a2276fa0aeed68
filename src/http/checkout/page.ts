/** The layout of the pages that consumers see. They load nothing from other hosts and cannot be framed. */
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';

export type Page = {
  readonly content: string;
  readonly head?: string;
  /** The only script that the page may run. */
  readonly script?: string;
  /** True where the script calls this service. */
  readonly connects?: boolean;
  /** Where a form may be posted to, redirects included. */
  readonly formAction: 'anywhere' | readonly string[];
};

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const script =
    page.script === undefined ? '' : `<script nonce="${nonce}">${page.script}</script>`;
  return reply
    .header('referrer-policy', 'no-referrer')
    .header('content-security-policy', policyOf(page, nonce))
    .type('text/html; charset=utf-8')
    .send(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Payment</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">${page.head ?? ''}
<style nonce="${nonce}">${style}</style></head>
<body><main>${page.content}</main>${script}</body></html>`);
}

/** Safe in HTML text and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function hiddenForm(
  action: string,
  fields: Readonly<Record<string, string>>,
  button: string,
): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${escapeHtml(action)}">${inputs.join('')}<button>${escapeHtml(button)}</button></form>`;
}

function policyOf({ script, connects, formAction }: Page, nonce: string): string {
  const targets = formAction === 'anywhere' ? undefined : formAction.join(' ') || "'none'";
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    ...(connects ? ["connect-src 'self'"] : []),
    ...(targets === undefined ? [] : [`form-action ${targets}`]),
    "frame-ancestors 'none'",
    `script-src ${script === undefined ? "'none'" : `'nonce-${nonce}'`}`,
  ].join('; ');
}

const style = `body{font:1.1rem system-ui;margin:20vh auto;max-width:24rem;padding:0 1rem;text-align:center}
h1{font-size:1.4rem}button{font:inherit;padding:.6rem 2rem}`;
