/** Finds what an account has stored of a consumer: their orders, and orders that mention them. Decision 8.7. */
import { isDeepStrictEqual } from 'node:util';
import { eraseDetails } from '../domain/erase.ts';
import { type Consumer, isConsumer, phoneOf, valuesOf } from '../domain/erased-consumer.ts';
import { createScrub, type Phone, type Scrub } from '../domain/scrub.ts';
import type { Database } from '../store/database.ts';
import { type CandidateOrder, listCandidateOrders, type Wanted } from '../store/erasure.ts';

export type FoundConsumer = {
  /** With the phone numbers of their orders. */
  readonly consumer: Consumer;
  readonly userIds: ReadonlySet<string>;
  /** Orders with the e-mail address or phone number that was given. */
  readonly named: readonly string[];
  /** Orders of the same consumer under another e-mail address. */
  readonly linked: readonly string[];
  /** Orders of others that mention them. */
  readonly mentioned: readonly string[];
};

const pageSize = 1_000;

/** All orders of the account are read, a page at a time: nothing of a consumer has an index. */
export async function findConsumer(
  database: Database,
  accountId: string,
  given: Consumer,
): Promise<FoundConsumer> {
  const named: string[] = [];
  const mentioned = new Set<string>();
  const userIds = new Set<string>();
  const phones: Phone[] = [];
  const scrub = createScrub(valuesOf(given));
  await walk(database, accountId, wantedBy(given, []), (order) => {
    if (isConsumer(given, order.details.user)) {
      named.push(order.orderId);
      learn(order, userIds, phones);
    } else if (isMentionedIn(order, scrub)) mentioned.add(order.orderId);
  });
  const consumer = { ...given, phones: withoutCopies([...given.phones, ...phones]) };
  const linked = new Set<string>();
  const learned = { email: undefined, phones: withoutCopies(phones) };
  if (userIds.size > 0) {
    const scrubLearned = createScrub(valuesOf(learned));
    await walk(database, accountId, wantedBy(learned, [...userIds]), (order) => {
      if (order.userId !== null && userIds.has(order.userId)) linked.add(order.orderId);
      else if (isMentionedIn(order, scrubLearned)) mentioned.add(order.orderId);
    });
  }
  const own = new Set(named);
  for (const orderId of [...own, ...linked]) mentioned.delete(orderId);
  const others = [...linked].filter((orderId) => !own.has(orderId));
  return { consumer, userIds, named, linked: others, mentioned: [...mentioned] };
}

async function walk(
  database: Database,
  accountId: string,
  wanted: Wanted,
  look: (order: CandidateOrder) => void,
): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const page = await listCandidateOrders(database, accountId, after, wanted, pageSize);
    for (const order of page.entries) look(order);
    after = page.last;
  }
}

/** A consumer is known by the phone number, so what has the same number is theirs as well. */
function learn({ userId, details }: CandidateOrder, userIds: Set<string>, phones: Phone[]): void {
  if (userId !== null) userIds.add(userId);
  const phone = details.user && phoneOf(details.user);
  if (phone) phones.push(phone);
}

function withoutCopies(phones: readonly Phone[]): Phone[] {
  return [...new Map(phones.map((phone) => [phone.full, phone])).values()];
}

function isMentionedIn({ details }: CandidateOrder, scrub: Scrub): boolean {
  return !isDeepStrictEqual(eraseDetails(details, scrub, 'mentioned'), details);
}

/** Wider than what is meant, and never narrower. */
function wantedBy({ email, phones }: Consumer, userIds: readonly string[]): Wanted {
  const separators = '(?:[^0-9A-Za-z"]|%20){0,4}';
  const numbers = phones.map(({ full, number }) => [...(number ?? full)].join(separators));
  return {
    userIds,
    texts: [
      email === undefined ? null : JSON.stringify(email).slice(1, -1),
      email === undefined ? null : encodeURIComponent(email).toLowerCase(),
    ],
    digits: numbers.length === 0 ? null : numbers.join('|'),
  };
}
