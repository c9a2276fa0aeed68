/** Issues the order token and the refresh token of an order. Contract 2.3 and 2.4. */
import type { Order } from '../../domain/orders/order.ts';
import type { Caller, IssuedToken } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';

export type OrderTokens = { readonly token: IssuedToken; readonly refreshToken: IssuedToken };

type TokenOrder = Pick<Order, 'accountId' | 'orderId' | 'userId' | 'restricted'>;

export async function issueOrderTokens(
  services: Pick<Services, 'tokens'>,
  order: TokenOrder,
): Promise<OrderTokens> {
  const { accountId, orderId } = order;
  return {
    token: await issueOrderToken(services, order),
    refreshToken: await services.tokens.issue({ type: 'refresh', accountId, orderId }),
  };
}

/** The token of a restricted order contains the consumer that it is restricted to. Contract 11.2. */
export function issueOrderToken(
  services: Pick<Services, 'tokens'>,
  order: TokenOrder,
  expiresAt?: Date,
): Promise<IssuedToken> {
  const { accountId, orderId, userId, restricted } = order;
  const consumer = restricted && userId !== null ? { userId } : {};
  return services.tokens.issue({ type: 'order', accountId, orderId, ...consumer }, expiresAt);
}

/**
 * The token for a reply. A caller with an order token gets the same token back: only refresh-token issues a new one.
 * Contract 2.9.
 */
export async function tokenFor(
  services: Pick<Services, 'tokens'>,
  caller: Caller,
  order: TokenOrder,
): Promise<IssuedToken> {
  return caller.type === 'order' ? caller.own : issueOrderToken(services, order);
}
