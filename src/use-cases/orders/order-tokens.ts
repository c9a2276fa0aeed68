/** Issues the tokens of an order: with it, for a refresh token, and for a payment link. Contract 2.3, 2.4, 14.6 and 19.2. */
import { ServiceError } from '../../domain/errors.ts';
import { findAccountIdOfLink } from '../../domain/ids.ts';
import { isOpen, type Order, orderStatus } from '../../domain/orders/order.ts';
import { linkStatus } from '../../domain/orders/payment-link.ts';
import type { Caller, IssuedToken } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { findOrder } from '../../store/orders/orders.ts';
import { findLinkedOrder } from '../../store/orders/payment-links.ts';
import { refuseSuspended } from '../accounts/authenticate-caller.ts';

type TokenOrder = Pick<Order, 'accountId' | 'orderId' | 'userId' | 'restricted'>;

export async function issueOrderTokens(services: Pick<Services, 'tokens'>, order: TokenOrder) {
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
) {
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

const newOrderNeeded = 'The refresh token is no longer valid: create a new order for the consumer.';

/** Exchanges a refresh token for a new order token while the order is open. Contract 2.4. */
export async function refreshToken(
  services: Pick<Services, 'database' | 'accounts' | 'tokens' | 'clock'>,
  refresh: string,
) {
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

async function verifyRefreshToken({ tokens }: Pick<Services, 'tokens'>, refresh: string) {
  try {
    return await tokens.verify(refresh);
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

const unknown = { kind: 'unknown' } as const;

/**
 * Exchanges the id of a payment link for a new order token, which opens the checkout. Contract 14.6. A malformed id and
 * an unknown one have the same outcome, so that links cannot be guessed step by step.
 */
export async function openLink(
  services: Pick<Services, 'database' | 'accounts' | 'tokens' | 'countLink' | 'clock'>,
  linkId: string,
) {
  const accountId = findAccountIdOfLink(linkId);
  if (accountId === undefined) return unknown;
  services.countLink(linkId);
  const found = await findLinkedOrder(services.database, accountId, linkId);
  if (!found) return unknown;
  const { order, link } = found;
  // After the link is found: before that, the reply would tell that an account exists.
  refuseSuspended(await services.accounts.get(accountId));
  const now = services.clock();
  if (linkStatus(link, order, now) === 'cancelled') return { kind: 'cancelled' as const };
  const isClosed = !isOpen(orderStatus(order, now));
  // The token lets the checkout say that the order is completed or lapsed.
  const kind = isClosed ? ('closed' as const) : ('open' as const);
  return { kind, orderId: order.orderId, token: await issueOrderToken(services, order) };
}
