/** Who looks at a checkout: the holder of the order token, which is in a cookie of the order. Contract 14.1. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/errors.ts';
import { isOrderId } from '../../domain/ids.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Edge } from '../edge.ts';
import { isSecureSite } from '../site.ts';
import { keepCheckoutToken, readCheckoutToken } from './cookies.ts';

export type OrderCaller = Extract<Caller, { type: 'order' }>;
export type Consumer = { readonly caller: OrderCaller };

/** Moves the token of the address into the cookie. */
export async function openSession(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  token: unknown,
): Promise<{ readonly orderId: string }> {
  if (typeof token !== 'string') throw new ServiceError('INVALID_TOKEN');
  const { caller } = await authenticate(edge, token);
  await edge.useCases.openCheckout(caller);
  const target = { orderId: caller.orderId, isSecure: isSecureSite(edge) };
  keepCheckoutToken(reply, request.headers.cookie, target, caller.own);
  return { orderId: caller.orderId };
}

export async function authenticateConsumer(
  edge: Edge,
  request: FastifyRequest,
  orderId: string,
): Promise<Consumer> {
  const target = { orderId, isSecure: isSecureSite(edge) };
  const token = isOrderId(orderId) ? readCheckoutToken(request.headers.cookie, target) : undefined;
  if (token === undefined) throw new ServiceError('INVALID_TOKEN');
  const consumer = await authenticate(edge, token);
  // A cookie that somebody gave another name.
  if (consumer.caller.orderId !== orderId) throw new ServiceError('INVALID_TOKEN');
  return consumer;
}

async function authenticate(edge: Edge, token: string): Promise<Consumer> {
  const authenticated = await edge.useCases.authenticateCaller(token);
  const { caller } = authenticated;
  if (caller.type !== 'order') throw new ServiceError('INVALID_TOKEN');
  edge.countCall(authenticated);
  return { caller };
}
