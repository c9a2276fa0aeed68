/** Exchanges a refresh token for a new order token while the order is open. Contract 2.4. */
import { ServiceError } from '../../domain/errors.ts';
import { isOpen, orderStatus } from '../../domain/orders/order.ts';
import type { Caller, IssuedToken } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { findOrder } from '../../store/orders/orders.ts';
import { refuseSuspended } from '../accounts/authenticate-caller.ts';
import { issueOrderToken } from './order-tokens.ts';

const newOrderNeeded = 'The refresh token is no longer valid: create a new order for the consumer.';

export async function refreshToken(
  services: Pick<Services, 'database' | 'accounts' | 'tokens' | 'clock'>,
  refresh: string,
): Promise<IssuedToken> {
  const caller = await verifyRefreshToken(services, refresh);
  if (caller.type !== 'refresh') {
    throw new ServiceError(
      'INVALID_TOKEN',
      'refresh_token is a token of another kind: send the refresh_token of create order.',
    );
  }
  refuseSuspended(await services.accounts.get(caller.accountId));
  const order = await findOrder(services.database, caller.accountId, caller.orderId);
  if (!order || !isOpen(orderStatus(order, services.clock()))) {
    throw new ServiceError('TOKEN_EXPIRED', newOrderNeeded);
  }
  return issueOrderToken(services, order);
}

async function verifyRefreshToken(
  services: Pick<Services, 'tokens'>,
  refresh: string,
): Promise<Caller> {
  try {
    return await services.tokens.verify(refresh);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'TOKEN_EXPIRED') throw new ServiceError('TOKEN_EXPIRED', newOrderNeeded);
    if (error.code !== 'INVALID_TOKEN') throw error;
    throw new ServiceError(
      'INVALID_TOKEN',
      'refresh_token is not one of ours: send the refresh_token of create order as it came.',
    );
  }
}
