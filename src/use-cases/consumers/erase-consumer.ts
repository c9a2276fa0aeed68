/**
 * Erases a consumer's personal data from an account: orders, transactions, deliveries, history and notes. Amounts,
 * states and ids stay. Each order is erased in its own transaction; an interrupted run is completed by running it
 * again. Contract 8.7.
 */
import type { Account } from '../../domain/accounts/account.ts';
import type { Actor } from '../../domain/audit.ts';
import { type Consumer, foldEmail, valuesOf } from '../../domain/consumers/erased-consumer.ts';
import { createScrub, createSearch } from '../../domain/consumers/scrub.ts';
import { parseExactJson } from '../../domain/json/json.ts';
import { consumerDataKeyOf } from '../../services/consumer-data-key.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import {
  listBodies,
  lockUnlinkedBodies,
  type StoredBody,
  saveErasedBodies,
} from '../../store/consumers/erasure.ts';
import { lockNotes, saveNote } from '../../store/consumers/notes.ts';
import { eraseOneOrder, eraseStored, listPersonalValues, mergeValues } from './erase-order.ts';
import { findConsumer, readPages } from './find-consumer.ts';

export async function eraseConsumer(
  services: Pick<Services, 'database' | 'accounts' | 'clock'>,
  account: Account,
  given: Consumer,
  actor: Actor,
) {
  const { accountId } = account;
  const found = await findConsumer(services.database, account, given);
  const { consumer, named, linked } = found;
  const { deliveries, orderIds } = await eraseUnlinked(services, accountId, consumer);
  const none = { orders: 0, mentionedOrders: 0, transactions: 0 };
  const total = { ...none, deliveries, historyRows: 0, events: 0 };
  // The consumer's own orders come last: if this run is interrupted, the next one needs them to find the others.
  const own = new Set([...linked, ...named]);
  const others = [...new Set([...found.mentioned, ...orderIds])].filter((id) => !own.has(id));
  for (const orderId of [...others, ...own]) {
    const erased = await eraseOneOrder(services, found, { accountId, orderId });
    if (!erased) continue;
    total.orders += 1;
    if (erased.relation === 'mentioned') total.mentionedOrders += 1;
    for (const rows of ['transactions', 'deliveries', 'historyRows', 'events'] as const) {
      total[rows] += erased[rows];
    }
  }
  const scrub = createScrub(valuesOf(consumer));
  // The audit log contains a keyed digest instead of the consumer's e-mail address or phone number.
  const email = given.email === undefined ? undefined : foldEmail(given.email);
  const name = email ?? given.phones.map(({ full }) => full).join(',');
  const object = `consumer_${consumerDataKeyOf(account).digest(name).toString('hex').slice(0, 32)}`;
  return services.database.transaction(async (tx) => {
    const notes = (await lockNotes(tx, accountId)).filter(({ note }) => scrub(note) !== note);
    for (const { key, note } of notes) await saveNote(tx, accountId, { key, note: scrub(note) });
    const details = { ...total, notes: notes.length };
    const action = 'consumer.erased';
    await appendAudit(tx, actor, services.clock(), { accountId, action, object, details });
    return details;
  });
}

const pageSize = 200;

/** Erases deliveries without an order that mention the consumer. Returns the orders of the other deliveries that do. */
async function eraseUnlinked(
  services: Pick<Services, 'database' | 'clock'>,
  accountId: string,
  consumer: Consumer,
) {
  const isMentioned = createSearch(valuesOf(consumer));
  const orderIds = new Set<string>();
  let deliveries = 0;
  const list = (after = '') => listBodies(services.database, accountId, after, pageSize);
  for await (const page of readPages<StoredBody>(pageSize, (last) => list(last?.deliveryId))) {
    const mentions = page.filter(({ body, why }) =>
      [...textsOfBody(body), why ?? ''].some(isMentioned),
    );
    const unlinked = mentions.filter(({ orderId }) => orderId === null);
    for (const { orderId } of mentions) if (orderId !== null) orderIds.add(orderId);
    if (unlinked.length > 0)
      deliveries += await eraseDeliveries(services, accountId, consumer, unlinked);
  }
  return { deliveries, orderIds };
}

/** Skips a delivery that was linked to an order since it was listed: the next run finds that order. */
async function eraseDeliveries(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  accountId: string,
  consumer: Consumer,
  mentions: readonly StoredBody[],
): Promise<number> {
  return database.transaction(async (tx) => {
    const ids = mentions.map(({ deliveryId }) => deliveryId);
    const stored = await lockUnlinkedBodies(tx, accountId, ids);
    const erased = stored.flatMap((entry) => {
      const scrub = createScrub(mergeValues([valuesOf(consumer), listPersonalValues(entry)]));
      return eraseStored(entry, scrub) ?? [];
    });
    await saveErasedBodies(tx, accountId, erased, clock());
    return erased.length;
  });
}

/** Lists the decoded texts of a delivery's body, JSON or form: field names, strings and numbers. */
function textsOfBody(body: Buffer): string[] {
  const text = body.toString('utf8');
  if (!text.trimStart().startsWith('{')) return [...new URLSearchParams(text)].flat();
  try {
    return textsIn(parseExactJson(text));
  } catch {
    return [text];
  }
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, entry]) => [name, ...textsIn(entry)]);
  }
  return value === null || value === undefined ? [] : [String(value)];
}
