/**
 * Updates the details of an open order, and its amounts while it has no payment. Contract 11.3. Every change is made
 * under the lock of the order and appended to its history. Contract 4.7.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { maskChange } from '../../domain/consumers/mask.ts';
import { listChanges } from '../../domain/history.ts';
import { type ChangedBy, decideConsumerId } from '../../domain/orders/consumer.ts';
import type { Order, User } from '../../domain/orders/order.ts';
import { contentOf, decideUpdate, type OrderUpdate } from '../../domain/orders/order-update.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { appendHistory } from '../../store/orders/history.ts';
import { saveOrderContent } from '../../store/orders/orders.ts';
import { identifyInOrder, withEarlierConsumers } from './identify-consumer.ts';
import { changedBy, countTokenChange, lockOpenOrder } from './order-access.ts';
import { tokenFor } from './order-tokens.ts';

export async function updateOrder(
  services: Pick<Services, 'database' | 'accounts' | 'tokens' | 'clock'>,
  caller: Caller,
  { orderId, update }: { readonly orderId: string; readonly update: OrderUpdate },
) {
  const account = await services.accounts.get(caller.accountId);
  const by = changedBy(caller);
  const order = await changeOrder(services, caller, orderId, 'update-order', (before) => {
    const content = decideUpdate(before, update, account, by);
    const userId =
      before.userId === null || namesConsumer(update)
        ? consumerIdFor(account, before, update, content.details.user, by)
        : before.userId;
    return { ...before, ...content, userId };
  });
  return { order, token: await tokenFor(services, caller, order) };
}

/** `cause` is the name of the call, for the history. If `decide` throws a refusal, nothing changes. */
export async function changeOrder<Changed extends Order>(
  services: Pick<Services, 'database' | 'accounts' | 'clock'>,
  caller: Caller,
  orderId: string,
  cause: string,
  decide: (order: Order) => Changed,
): Promise<Changed> {
  const account = await services.accounts.get(caller.accountId);
  return services.database.transaction(async (tx) => {
    // Ends the race with deliveries, payments and other changes: each sees the result of the one before.
    const before = await lockOpenOrder(tx, services, caller, orderId);
    const after = decide(before);
    const changes = listChanges(contentOf(before), contentOf(after));
    if (changes.length === 0) return after;
    await countTokenChange(tx, caller, before);
    await saveOrderContent(tx, withEarlierConsumers(account, before, after));
    // Masked after the comparison: two values may differ and have the same mask.
    const masked = changes.map(maskChange);
    const entry = { transactionId: null, changes: masked, cause, happenedAt: services.clock() };
    await appendHistory(tx, [{ order: before, entries: [entry] }]);
    return after;
  });
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
