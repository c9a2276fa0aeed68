/**
 * The cookie that opens the checkout of one order. Each order has its own, so that two orders in two tabs do not mix.
 * Contract 14.1.
 */
import type { FastifyReply } from 'fastify';
import { isOrderId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';

/** `__Host-` keeps other hosts of the site from setting the cookie. Browsers accept it over https only. */
const securePrefix = '__Host-';
const name = 'checkout-';

export type CookieTarget = {
  readonly orderId: string;
  /** True where the service is reached by https. */
  readonly isSecure: boolean;
};

export function readCheckoutToken(
  header: string | undefined,
  { orderId, isSecure }: CookieTarget,
): string | undefined {
  return readCookie(header, cookieNameOf(orderId, isSecure));
}

/** Sets the cookie of this order, and removes the oldest others where there are too many for one header. */
export function keepCheckoutToken(
  reply: FastifyReply,
  header: string | undefined,
  { orderId, isSecure }: CookieTarget,
  own: { readonly token: string; readonly expiresAt: Date },
): void {
  const others = listCheckoutCookies(header, isSecure).filter((other) => other.orderId !== orderId);
  const surplus = others.slice(0, Math.max(0, others.length - (limits.checkoutCookiesMax - 1)));
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  reply.header('set-cookie', [
    `${cookieNameOf(orderId, isSecure)}=${own.token}; Expires=${own.expiresAt.toUTCString()}; ${attributes}`,
    ...surplus.map(
      (other) => `${cookieNameOf(other.orderId, isSecure)}=; Max-Age=0; ${attributes}`,
    ),
  ]);
}

export function readCookie(header: string | undefined, wanted: string): string | undefined {
  return listCookies(header).find((cookie) => cookie.name === wanted)?.value;
}

function cookieNameOf(orderId: string, isSecure: boolean): string {
  return `${isSecure ? securePrefix : ''}${name}${orderId}`;
}

/** Browsers send the oldest first. */
function listCheckoutCookies(header: string | undefined, isSecure: boolean) {
  const prefix = cookieNameOf('', isSecure);
  return listCookies(header)
    .filter((cookie) => cookie.name.startsWith(prefix))
    .map((cookie) => ({ orderId: cookie.name.slice(prefix.length) }))
    .filter(({ orderId }) => isOrderId(orderId));
}

/** Neither names nor values of our cookies need quotes or escapes. */
function listCookies(header = ''): { readonly name: string; readonly value: string }[] {
  return header.split(';').flatMap((pair) => {
    const end = pair.indexOf('=');
    return end < 0 ? [] : [{ name: pair.slice(0, end).trim(), value: pair.slice(end + 1).trim() }];
  });
}
