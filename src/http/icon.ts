/** The icon of all pages, below `/checkout`, which every proxy exposes; also for replies without a page. Contract 14.5. */
import type { FastifyRequest } from 'fastify';
import { refusingOtherMethods } from './refuse-other-methods.ts';

/** Even numbers are whole pixels at the smallest size, 16. */
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1a56db"/><rect x="4" y="8" width="24" height="16" rx="3" fill="#fff"/><path d="M4 12h24v4H4z" fill="#1a56db"/></svg>\n`;

const path = '/checkout/icon.svg';

const headers = {
  'cache-control': 'public, max-age=86400',
  'content-security-policy': "default-src 'none'; sandbox",
};

export const iconRoutes = refusingOtherMethods((app) => {
  for (const url of [path, '/favicon.ico']) {
    app.get(url, {
      config: { bound: 'file' },
      handler: async (_request, reply) => reply.headers(headers).type('image/svg+xml').send(svg),
    });
  }
});

/** The link for the head of a page. Relative, because PUBLIC_URL may have a path. */
export function iconLink({ url }: Pick<FastifyRequest, 'url'>): string {
  const depth = url.replace(/\?.*/s, '').split('/').length - 2;
  return iconLinkFrom('../'.repeat(depth) || './');
}

/** The same where the way to the root of the service is known: `/base/` or `../`. */
export function iconLinkFrom(root: string): string {
  return `<link rel="icon" type="image/svg+xml" href="${root}${path.slice(1)}">`;
}
