/** The two launch tokens of an order. Contract 2.2. */
import type { Order } from '../domain/order.ts';
import type { IssuedToken } from '../security/tokens.ts';
import type { Services } from './services.ts';

export type OrderTokens = { readonly token: IssuedToken; readonly refreshToken: IssuedToken };

type OrderName = Pick<Order, 'accountId' | 'orderId'>;

export async function issueOrderTokens(services: Services, order: OrderName): Promise<OrderTokens> {
  const { accountId, orderId } = order;
  return {
    token: await issueOrderToken(services, order),
    refreshToken: await services.tokens.issue({ type: 'refresh', accountId, orderId }),
  };
}

export function issueOrderToken(services: Services, order: OrderName): Promise<IssuedToken> {
  const { accountId, orderId } = order;
  return services.tokens.issue({ type: 'order', accountId, orderId });
}
