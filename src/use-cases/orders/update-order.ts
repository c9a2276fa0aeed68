/** Updates the details of an open order, and its amounts while it has no payment. Contract 11.3. */
import type { Account } from '../../domain/accounts/account.ts';
import { type ChangedBy, decideConsumerId } from '../../domain/orders/consumer.ts';
import type { Order, User } from '../../domain/orders/order.ts';
import { decideUpdate, type OrderUpdate } from '../../domain/orders/order-update.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { changeOrder } from './change-order.ts';
import { identifyInOrder } from './identify-consumer.ts';
import { changedBy } from './order-access.ts';
import { tokenFor } from './order-tokens.ts';

export async function updateOrder(
  services: Pick<Services, 'database' | 'accounts' | 'tokens' | 'clock'>,
  caller: Caller,
  { orderId, update }: { readonly orderId: string; readonly update: OrderUpdate },
) {
  const account = await services.accounts.get(caller.accountId);
  const by = changedBy(caller);
  const order = await changeOrder(services, caller, {
    orderId,
    cause: 'update-order',
    decide: (before) => {
      const content = decideUpdate(before, update, account, by);
      const userId =
        before.userId === null || namesConsumer(update)
          ? consumerIdFor(account, before, update, content.details.user, by)
          : before.userId;
      return { ...before, ...content, userId };
    },
  });
  return { order, token: await tokenFor(services, caller, order) };
}

/** A new name alone does not mean a different consumer. */
function namesConsumer({ details: { user } }: OrderUpdate): boolean {
  return (user?.mobileNumber ?? user?.email ?? user?.countryCode) !== undefined;
}

function consumerIdFor(
  account: Account,
  before: Order,
  update: OrderUpdate,
  user: User | undefined,
  by: ChangedBy,
): string | null {
  if (!user) return before.userId;
  // A consumer without phone number and e-mail address has a random id, which stays with the order.
  const isAnonymous = user.mobileNumber === undefined && user.email === undefined;
  if (isAnonymous && before.userId !== null) return before.userId;
  const ids = identifyInOrder(account, before.orderId, user);
  const isNamed = givesIdentity(update, user) || isNamedByMerchant(account, before);
  return decideConsumerId(before, ids, isNamed ? by : 'order');
}

/** A consumer is identified by the mobile number, or by the e-mail address if there is no number. */
function givesIdentity({ details }: OrderUpdate, user: User): boolean {
  const identity = user.mobileNumber === undefined ? 'email' : 'mobileNumber';
  return details.user?.[identity] !== undefined;
}

/**
 * False if an order token set the phone number: a merchant who then corrects the e-mail address has not confirmed that
 * number.
 */
function isNamedByMerchant(account: Account, { orderId, userId, details: { user } }: Order) {
  return user !== undefined && userId === identifyInOrder(account, orderId, user).ofAccount;
}
