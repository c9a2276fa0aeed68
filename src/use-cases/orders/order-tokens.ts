/** Issues the order token and the refresh token of an order. Contract 2.3 and 2.4. */
import type { Order } from '../../domain/orders/order.ts';
import type { Caller, IssuedToken } from '../../security/tokens.ts';
import type { TokenService } from '../../services/token-service.ts';

type Needs = {
  readonly tokens: TokenService;
};

export type OrderTokens = { readonly token: IssuedToken; readonly refreshToken: IssuedToken };

type TokenOrder = Pick<Order, 'accountId' | 'orderId' | 'userId' | 'restricted'>;

export async function issueOrderTokens(services: Needs, order: TokenOrder): Promise<OrderTokens> {
  const { accountId, orderId } = order;
  return {
    token: await issueOrderToken(services, order),
    refreshToken: await services.tokens.issue({ type: 'refresh', accountId, orderId }),
  };
}

/** The token of a restricted order contains the consumer that it is restricted to. Contract 11.2. */
export function issueOrderToken(
  services: Needs,
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
  services: Needs,
  caller: Caller,
  order: TokenOrder,
): Promise<IssuedToken> {
  return caller.type === 'order' ? caller.own : issueOrderToken(services, order);
}
