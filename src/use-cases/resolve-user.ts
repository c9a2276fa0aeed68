/** Links a consumer to an order and restricts the order to them. Decision 11.2. */
import type { User } from '../domain/order.ts';
import { checkUser } from '../domain/order-request.ts';
import { type LinkedOrder, linkConsumer } from '../domain/order-update.ts';
import type { Caller } from '../security/tokens.ts';
import { changeOrder } from './change-order.ts';
import { identifyConsumer } from './identify-consumer.ts';
import type { Services } from './services.ts';

export async function resolveUser(
  services: Services,
  caller: Caller,
  { orderId, user }: { readonly orderId: string; readonly user: User },
): Promise<LinkedOrder> {
  checkUser('', user);
  const account = await services.accounts.get(caller.accountId);
  const userId = identifyConsumer(account, user);
  return changeOrder(services, caller, {
    orderId,
    cause: 'resolve-user',
    decide: (order) => linkConsumer(order, user, userId),
  });
}
