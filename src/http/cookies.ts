/** Reads and sets cookies. Each scope has its own. */
import type { FastifyReply } from 'fastify';
import type { HttpContext } from './http-context.ts';

type Site = Pick<HttpContext, 'settings'>;

/** `__Host-` keeps other hosts of the site from setting the cookie. Browsers accept it over https only. */
export function hostCookieName(site: Site, name: string): string {
  return isSecure(site) ? `__Host-${name}` : name;
}

export function readCookie(header: string | undefined, wanted: string): string | undefined {
  return listCookies(header).find((cookie) => cookie.name === wanted)?.value;
}

/** Neither names nor values of our cookies need quotes or escapes. */
export function listCookies(header = ''): { readonly name: string; readonly value: string }[] {
  return header.split(';').flatMap((pair) => {
    const end = pair.indexOf('=');
    return end < 0 ? [] : [{ name: pair.slice(0, end).trim(), value: pair.slice(end + 1).trim() }];
  });
}

/** In addition to those that the reply sets already. It lasts until a time, or for a number of seconds. */
export function setCookie(
  site: Site,
  reply: FastifyReply,
  name: string,
  value: string,
  { until, sameSite }: { readonly until: Date | number; readonly sameSite: 'Lax' | 'Strict' },
): void {
  const lifetime =
    typeof until === 'number' ? `Max-Age=${until}` : `Expires=${until.toUTCString()}`;
  const secure = isSecure(site) ? '; Secure' : '';
  const attributes = `${lifetime}; Path=/; HttpOnly; SameSite=${sameSite}${secure}`;
  reply.header('set-cookie', `${name}=${value}; ${attributes}`);
}

/** Browsers refuse secure cookies over plain http, which is used on loopback only. */
function isSecure({ settings }: Site): boolean {
  return settings.publicUrl.startsWith('https:');
}
