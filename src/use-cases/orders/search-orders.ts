/**
 * Finds orders by one text, whatever it is: an id of ours, of the merchant or of a provider, the beginning of an
 * invoice, or an e-mail address or phone number of the consumer. See docs/decisions/0046.
 */
import type { Account } from '../../domain/accounts/account.ts';
import {
  type ConsumerPhone,
  findEmail,
  findPhones,
  foldEmail,
} from '../../domain/consumers/erased-consumer.ts';
import { isOrderId, isTransactionId } from '../../domain/ids.ts';
import { orderStatus, type User } from '../../domain/orders/order.ts';
import type { Database } from '../../postgres/database.ts';
import { providers } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';
import { listConsumersByEmail } from '../../store/consumers/consumer-emails.ts';
import { findOrderIdsOfDispute } from '../../store/disputes/dispute-lists.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import { listOrderRows } from '../../store/orders/order-list-rows.ts';
import {
  findIdsByConsumers,
  findIdsByInvoiceStart,
  findIdsByKey,
  findIdsByProviderId,
  findIdsByRefundRequest,
  findIdsByTransaction,
  findNewestIdsByEmail,
} from '../../store/orders/order-search.ts';
import { identifyConsumer } from './identify-consumer.ts';

/** Longer text is no id. */
const textLengthMax = 300;

/** Exact matches first. `isMore`: there are more than the limit, so the text should be longer. */
export async function searchOrders(
  services: Pick<Services, 'database' | 'accounts' | 'clock'>,
  accountId: string,
  { text, limit }: { readonly text: string; readonly limit: number },
) {
  const wanted = text.trim();
  if (wanted === '' || wanted.length > textLengthMax || wanted.includes('\0')) {
    return { orders: [], isMore: false };
  }
  const { database, clock } = services;
  const account = await services.accounts.get(accountId);
  const searches = listSearches(database, account, wanted, limit + 1);
  const found = await Promise.all(
    searches.map(async ([reason, ids]) => [reason, await ids] as const),
  );
  const reasonsById = new Map<string, Set<string>>();
  for (const [reason, orderIds] of found) {
    for (const orderId of orderIds) {
      reasonsById.set(orderId, (reasonsById.get(orderId) ?? new Set()).add(reason));
    }
  }
  const orderIds = [...reasonsById.keys()];
  const rows = await listOrderRows(database, toNames(accountId, orderIds.slice(0, limit)));
  const now = clock();
  return {
    orders: rows.map((row) => ({
      ...row,
      status: orderStatus(row, now),
      reasons: [...(reasonsById.get(row.orderId) ?? [])],
    })),
    isMore: orderIds.length > limit,
  };
}

function toNames(accountId: string, orderIds: readonly string[]): OrderKey[] {
  return orderIds.map((orderId) => ({ accountId, orderId }));
}

/** Which orders match by which reason, in the order in which they are listed. All searches run at the same time. */
function listSearches(database: Database, account: Account, text: string, limit: number) {
  const { accountId } = account;
  const names = providers.map(({ name }) => name);
  const email = findEmail(text);
  const userIds = consumerIdsOf(account, text);
  return Object.entries({
    order_id: isOrderId(text) ? findIdsByKey(database, accountId, 'order_id', text) : [],
    transaction_id: isTransactionId(text) ? findIdsByTransaction(database, accountId, text) : [],
    invoice: findIdsByKey(database, accountId, 'invoice_id', text),
    provider_id: findIdsByProviderId(database, accountId, names, text),
    dispute_id: findOrderIdsOfDispute(database, accountId, text),
    refund_request_id: findIdsByRefundRequest(database, accountId, text),
    email: email === undefined ? [] : findIdsByEmail(database, account, text, limit),
    phone: userIds.length > 0 ? findIdsByConsumers(database, accountId, userIds, limit) : [],
    // The invoice begins with the text.
    invoice_start: findIdsByInvoiceStart(database, accountId, text, limit),
  });
}

/** Orders that are too new for the sweep to have learned their address are looked at one by one. */
const newestLookedAt = 2_000;
const consumersMax = 50;

/**
 * The id of a consumer with a phone number does not depend on the address, so consumers are found first. Their orders
 * with another address are left out.
 */
async function findIdsByEmail(database: Database, account: Account, email: string, limit: number) {
  const { accountId } = account;
  const wanted = foldEmail(email);
  const known = await listConsumersByEmail(database, accountId, wanted, consumersMax);
  const withoutPhone = identifyConsumer(account, { email, countryCode: '' });
  const found = await Promise.all([
    findNewestIdsByEmail(database, accountId, email, newestLookedAt),
    findIdsByConsumers(database, accountId, [...new Set([...known, withoutPhone])], limit),
  ]);
  const rows = await listOrderRows(database, toNames(accountId, [...new Set(found.flat())]));
  return rows
    .filter(({ user }) => user?.email !== undefined && foldEmail(user.email) === wanted)
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .map(({ orderId }) => orderId);
}

/** The id of a consumer with a phone number is derived from it. Contract 3.6. */
function consumerIdsOf(account: Account, text: string): string[] {
  const users = (findPhones(text) ?? []).flatMap(usersOf);
  return [...new Set(users.map((user) => identifyConsumer(account, user)))];
}

const codeLengths = [1, 2, 3, 4];

/** Where the country code is not known to be one, each length is tried. */
function usersOf({ full, number }: ConsumerPhone): User[] {
  const lengths = number === undefined ? codeLengths : [full.length - number.length];
  return lengths.map((length) => ({
    countryCode: `+${full.slice(0, length)}`,
    mobileNumber: full.slice(length),
  }));
}
