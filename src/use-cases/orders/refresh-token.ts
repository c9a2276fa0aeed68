/** Exchanges a refresh token for a new order token while the order is open. Contract 2.4. */
import { ServiceError } from '../../domain/errors.ts';
import { isOpen, orderStatus } from '../../domain/orders/order.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { Caller, IssuedToken } from '../../security/tokens.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { NeedsOf } from '../../services/needs.ts';
import type { TokenService } from '../../services/token-service.ts';
import { findOrder } from '../../store/orders/orders.ts';
import { refuseSuspended } from '../accounts/authenticate-caller.ts';
import { issueOrderToken } from './order-tokens.ts';

type Needs = NeedsOf<typeof issueOrderToken> & {
  readonly database: Database;
  readonly accounts: AccountDirectory;
  readonly tokens: TokenService;
  readonly clock: Clock;
};

const newOrderNeeded = 'The refresh token is no longer valid: create a new order for the consumer.';

export async function refreshToken(services: Needs, refresh: string): Promise<IssuedToken> {
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

async function verifyRefreshToken(services: Needs, refresh: string): Promise<Caller> {
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
