/** Exchanges the id of a payment link for a new order token, which opens the checkout. Contract 14.6. */
import { findAccountIdOfLink } from '../../domain/ids.ts';
import { isOpen, orderStatus } from '../../domain/orders/order.ts';
import type { IssuedToken } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { findLinkedOrder } from '../../store/orders/payment-links.ts';
import { refuseSuspended } from '../accounts/authenticate-caller.ts';
import { issueOrderToken } from './order-tokens.ts';

type OpenedLink =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'open'; readonly orderId: string; readonly token: IssuedToken }
  /** The order is completed or lapsed. The token lets the checkout say so. */
  | { readonly kind: 'closed'; readonly orderId: string; readonly token: IssuedToken };

/** A malformed id and an unknown one have the same outcome, so that links cannot be guessed step by step. */
export async function openLink(
  services: Pick<Services, 'database' | 'accounts' | 'tokens' | 'countLink' | 'clock'>,
  linkId: string,
): Promise<OpenedLink> {
  const accountId = findAccountIdOfLink(linkId);
  if (accountId === undefined) return { kind: 'unknown' };
  services.countLink(linkId);
  const order = await findLinkedOrder(services.database, accountId, linkId);
  if (!order) return { kind: 'unknown' };
  // After the link is found: before that, the reply would tell that an account exists.
  refuseSuspended(await services.accounts.get(accountId));
  const kind = isOpen(orderStatus(order, services.clock())) ? 'open' : 'closed';
  return { kind, orderId: order.orderId, token: await issueOrderToken(services, order) };
}
