/** Who looks at a checkout: the holder of the order token, which is in a cookie of the order. Contract 14.1. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { isOrderId } from '../../domain/ids.ts';
import type { Caller } from '../../security/tokens.ts';
import type { HttpContext } from '../http-context.ts';
import { isSecureSite } from '../site.ts';
import { keepCheckoutToken, readCheckoutToken } from './cookies.ts';

type OrderCaller = Extract<Caller, { type: 'order' }>;
export type Consumer = { readonly caller: OrderCaller };

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply };

/** Moves the token of the address into the cookie. */
export async function openSession(
  context: HttpContext,
  exchange: Exchange,
  token: unknown,
): Promise<{ readonly orderId: string }> {
  if (typeof token !== 'string') throw new ServiceError('INVALID_TOKEN');
  const { caller } = await authenticate(context, exchange, token);
  const { request, reply } = exchange;
  await context.useCases.openCheckout(caller);
  const target = { orderId: caller.orderId, isSecure: isSecureSite(context) };
  keepCheckoutToken(reply, request.headers.cookie, target, caller.own);
  return { orderId: caller.orderId };
}

export async function authenticateConsumer(
  context: HttpContext,
  exchange: Exchange,
): Promise<Consumer> {
  const { order_id: orderId } = exchange.request.params as { readonly order_id: string };
  const target = { orderId, isSecure: isSecureSite(context) };
  const { cookie } = exchange.request.headers;
  const token = isOrderId(orderId) ? readCheckoutToken(cookie, target) : undefined;
  if (token === undefined) throw new ServiceError('INVALID_TOKEN');
  const consumer = await authenticate(context, exchange, token);
  // A cookie that somebody gave another name.
  if (consumer.caller.orderId !== orderId) throw new ServiceError('INVALID_TOKEN');
  return consumer;
}

async function authenticate(
  context: HttpContext,
  { request, reply }: Exchange,
  token: string,
): Promise<Consumer> {
  const authenticated = await context.useCases.authenticateCaller(token);
  const { caller } = authenticated;
  if (caller.type !== 'order') throw new ServiceError('INVALID_TOKEN');
  context.countCall(authenticated);
  await context.holdSlot(request, reply, caller.accountId);
  return { caller };
}
