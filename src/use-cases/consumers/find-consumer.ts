/** Finds the orders of a consumer in an account, and the orders of others that mention the consumer. Contract 8.7. */
import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../../domain/accounts/account.ts';
import { eraseDetails } from '../../domain/consumers/erase.ts';
import {
  type Consumer,
  type ConsumerPhone,
  isConsumer,
  phoneOf,
  valuesOf,
} from '../../domain/consumers/erased-consumer.ts';
import { createScrub, type Scrub } from '../../domain/consumers/scrub.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Database } from '../../postgres/database.ts';
import { type ListedOrder, listOrdersOfAccount } from '../../store/consumers/erasure.ts';
import { createFindEarlier } from '../orders/identify-consumer.ts';

export type FoundConsumer = Awaited<ReturnType<typeof findConsumer>>;

type OwnedOrder = Omit<ListedOrder, 'orderId'>;

/** Further ids and phone numbers of the consumer, collected from the `named` orders. */
type Learned = { readonly userIds: Set<string>; readonly phones: ConsumerPhone[] };

/** Returns the given consumer with the phone numbers found in their orders, and which orders are or were theirs. */
export async function findConsumer(database: Database, account: Account, given: Consumer) {
  // Orders that have, or had before a change, the given e-mail address or phone number.
  const named = new Set<string>();
  // Orders of the same consumer under another e-mail address.
  const linked = new Set<string>();
  // Orders of other consumers that mention this one.
  const mentioned = new Set<string>();
  const learned: Learned = { userIds: new Set(), phones: [] };
  const learn = createLearn(account, given, learned);
  const scrub = createScrub(valuesOf(given));
  for await (const order of eachOrder(database, account)) {
    if (learn(order)) named.add(order.orderId);
    else if (isMentionedIn(order, scrub)) mentioned.add(order.orderId);
  }
  const consumer = { ...given, phones: uniquePhones([...given.phones, ...learned.phones]) };
  const isOwn = createIsOwn(account, consumer, learned.userIds);
  if (named.size > 0) {
    const scrubLearned = createScrub({ words: [], phones: uniquePhones(learned.phones) });
    for await (const order of eachOrder(database, account)) {
      if (named.has(order.orderId)) continue;
      if (isOwn(order)) linked.add(order.orderId);
      else if (isMentionedIn(order, scrubLearned)) mentioned.add(order.orderId);
    }
  }
  const others = [...mentioned].filter((orderId) => !named.has(orderId) && !linked.has(orderId));
  return { consumer, isOwn, named: [...named], linked: [...linked], mentioned: others };
}

/** A page is held in memory, and orders may be large. */
const pageSize = 500;

/**
 * Reads all orders of the account, because no index contains consumer data. They are not compared in SQL, which lowers
 * the case of letters differently and sees escaped JSON texts.
 */
async function* eachOrder(database: Database, { accountId }: Account) {
  const list = (after = '') => listOrdersOfAccount(database, accountId, after, pageSize);
  for await (const page of readPages<ListedOrder>(pageSize, (last) => list(last?.orderId))) {
    yield* page;
  }
}

/** Reads page by page, each behind the last row of the one before, until a page is not full. */
export async function* readPages<Row>(
  size: number,
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  for (let page = await read(undefined); ; page = await read(page.at(-1))) {
    yield page;
    if (page.length < size) return;
  }
}

/**
 * Returns a function that is true for `named` orders and collects their ids and phone numbers. Orders with the same
 * phone number belong to the same consumer. If a named order was changed to another consumer, that one is not
 * collected.
 */
function createLearn(account: Account, given: Consumer, { userIds, phones }: Learned) {
  const findEarlier = createFindEarlier(account, given);
  return ({ userId, details: { user }, earlierConsumers }: OwnedOrder): boolean => {
    const isNow = isConsumer(given, user);
    const earlier = findEarlier(earlierConsumers).map((entry) => entry.userId);
    for (const id of [...earlier, isNow ? userId : null]) if (id !== null) userIds.add(id);
    const isSame = isNow || (userId !== null && earlier.includes(userId));
    const phone = isSame && user ? phoneOf(user) : undefined;
    if (phone) phones.push(phone);
    return isNow || earlier.length > 0;
  };
}

function createIsOwn(account: Account, consumer: Consumer, userIds: ReadonlySet<string>) {
  const findEarlier = createFindEarlier(account, consumer);
  const isKnown = ({ userId }: Pick<Order, 'userId'>) => userId !== null && userIds.has(userId);
  return (order: OwnedOrder): boolean =>
    isKnown(order) ||
    isConsumer(consumer, order.details.user) ||
    (order.earlierConsumers?.some(isKnown) ?? false) ||
    findEarlier(order.earlierConsumers).length > 0;
}

/** The first one stays: a given number may match any country code, a collected one does not. */
function uniquePhones(phones: readonly ConsumerPhone[]): ConsumerPhone[] {
  const byNumber = new Map<string, ConsumerPhone>();
  for (const phone of phones) if (!byNumber.has(phone.full)) byNumber.set(phone.full, phone);
  return [...byNumber.values()];
}

function isMentionedIn({ details }: ListedOrder, scrub: Scrub): boolean {
  return !isDeepStrictEqual(eraseDetails(details, scrub, 'mentioned'), details);
}
