/** The order token in a cookie. Each order has its own, so that two orders in two tabs do not mix. Contract 14.1. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { isOrderId } from '../../domain/ids.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { Caller } from '../../security/tokens.ts';
import { hostCookieName, listCookies, readCookie, setCookie } from '../cookies.ts';
import { findBearerToken } from '../guard.ts';
import type { HttpContext } from '../http-context.ts';

export type Consumer = Extract<Caller, { type: 'order' }>;

/**
 * True for a page that is loaded into a frame, and for the calls of its script. Browsers withhold the cookie from a frame
 * of another site, so the script sends the token in a header. Contract 14.8.
 */
export function isInFrame(request: FastifyRequest): boolean {
  const framed = ['iframe', 'frame', 'fencedframe', 'object', 'embed'];
  const isFramed = framed.includes(String(request.headers['sec-fetch-dest']));
  return isFramed || findBearerToken(request) !== undefined;
}

/** Moves the token that opened the checkout into the cookie. */
export async function openSession(context: HttpContext, reply: FastifyReply, token: unknown) {
  if (typeof token !== 'string') throw new ServiceError('INVALID_TOKEN');
  const consumer = await authenticate(context, reply, token);
  await context.useCases.openCheckout(consumer);
  keepToken(context, reply, consumer);
  return consumer;
}

export async function authenticateConsumer(context: HttpContext, reply: FastifyReply) {
  const { order_id: orderId } = reply.request.params as { readonly order_id: string };
  const sent = findBearerToken(reply.request);
  const token = sent ?? (isOrderId(orderId) ? findToken(context, reply, orderId) : undefined);
  if (token === undefined) throw new ServiceError('INVALID_TOKEN');
  const consumer = await authenticate(context, reply, token);
  // The token of another order, in the header or in a cookie that somebody gave another name.
  if (consumer.orderId !== orderId) throw new ServiceError('INVALID_TOKEN');
  return consumer;
}

async function authenticate(context: HttpContext, reply: FastifyReply, token: string) {
  const authenticated = await context.useCases.authenticateCaller(token);
  const { caller } = authenticated;
  if (caller.type !== 'order') throw new ServiceError('INVALID_TOKEN');
  context.countCall(authenticated);
  await context.holdSlot(reply.request, reply, caller.accountId);
  return caller;
}

export function findToken(context: HttpContext, { request }: FastifyReply, orderId: string) {
  return readCookie(request.headers.cookie, hostCookieName(context, `checkout-${orderId}`));
}

/** Sets the cookie of this order, and removes the oldest others where there are too many for one header. */
function keepToken(context: HttpContext, reply: FastifyReply, { orderId, own }: Consumer): void {
  const prefix = hostCookieName(context, 'checkout-');
  const name = `${prefix}${orderId}`;
  // Browsers send the oldest first.
  const others = listCookies(reply.request.headers.cookie)
    .map((cookie) => cookie.name)
    .filter((other) => other.startsWith(prefix) && isOrderId(other.slice(prefix.length)))
    .filter((other) => other !== name);
  const surplus = Math.max(0, others.length - (paymentLimits.checkoutCookiesMax - 1));
  setCookie(context, reply, name, own.token, { until: own.expiresAt, sameSite: 'Lax' });
  for (const other of others.slice(0, surplus)) {
    setCookie(context, reply, other, '', { until: 0, sameSite: 'Lax' });
  }
}
