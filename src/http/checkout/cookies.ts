/**
 * The cookie that opens the checkout of one order. Each order has its own, so that two orders in two tabs do not mix.
 * Contract 14.1.
 */
import type { FastifyReply } from 'fastify';
import { isOrderId } from '../../domain/ids.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import { listCookies, readCookie, securePrefix } from '../read-cookies.ts';

const name = 'checkout-';

type CookieTarget = {
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
  const surplus = others.slice(
    0,
    Math.max(0, others.length - (paymentLimits.checkoutCookiesMax - 1)),
  );
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  reply.header('set-cookie', [
    `${cookieNameOf(orderId, isSecure)}=${own.token}; Expires=${own.expiresAt.toUTCString()}; ${attributes}`,
    ...surplus.map(
      (other) => `${cookieNameOf(other.orderId, isSecure)}=; Max-Age=0; ${attributes}`,
    ),
  ]);
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
