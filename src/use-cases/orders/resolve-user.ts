/** Links a consumer to an order and restricts the order to that consumer. Contract 11.2. */
import { linkConsumer } from '../../domain/orders/consumer.ts';
import type { SentUser } from '../../domain/orders/order.ts';
import { readUser } from '../../domain/orders/order-request.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { changeOrder } from './change-order.ts';
import { identifyInOrder } from './identify-consumer.ts';
import { changedBy } from './order-access.ts';
import { issueOrderToken } from './order-tokens.ts';

export async function resolveUser(
  services: Pick<Services, 'database' | 'accounts' | 'tokens' | 'clock'>,
  caller: Caller,
  { orderId, user: sent }: { readonly orderId: string; readonly user: SentUser },
) {
  const user = readUser('', sent);
  const account = await services.accounts.get(caller.accountId);
  const order = await changeOrder(services, caller, {
    orderId,
    cause: 'resolve-user',
    decide: (before) =>
      linkConsumer(before, user, identifyInOrder(account, orderId, user), changedBy(caller)),
  });
  // Replaces the caller's order token, which is not valid for the restricted order (contract 2.9). It contains the
  // consumer and expires when the old one would have expired.
  const token =
    caller.type === 'order'
      ? await issueOrderToken(services, order, caller.own.expiresAt)
      : undefined;
  return { order, token };
}
