/**
 * Erases one order in one transaction, so that its stored state always matches its deliveries and history. Contract
 * 8.7.
 */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import {
  type ConsumerRelation,
  eraseChange,
  eraseFields,
  eraseHeld,
  eraseOrder,
  personalValuesOf,
  scrubTexts,
} from '../../domain/consumers/erase.ts';
import { valuesOf } from '../../domain/consumers/erased-consumer.ts';
import { createScrub, type PersonalValues, type Scrub } from '../../domain/consumers/scrub.ts';
import { newUserId } from '../../domain/ids.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Transaction } from '../../postgres/database.ts';
import { getProvider } from '../../providers/providers.ts';
import { openPayload, sealPayload } from '../../security/sealed-payload.ts';
import type { Services } from '../../services/services.ts';
import { deleteEmails } from '../../store/consumers/consumer-emails.ts';
import {
  listBodiesOfOrder,
  lockDeliveryIdsOfOrder,
  type StoredBody,
  saveErasedBodies,
  saveErasedOrder,
  saveErasedTransactions,
} from '../../store/consumers/erasure.ts';
import {
  deleteFinishedBodies,
  listWaitingBodies,
  saveEventBody,
} from '../../store/events/event-bodies.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import { listHistoryRows, saveHistoryRows } from '../../store/orders/history.ts';
import { lockOrder } from '../../store/orders/orders.ts';
import { lockSlots } from '../../store/reports/slot-cursors.ts';
import { loadOrderState } from '../order-state/lock-order-state.ts';
import { type FoundConsumer, readPages } from './find-consumer.ts';

/** Returns how many rows were changed. */
export async function eraseOneOrder(
  services: Pick<Services, 'database' | 'accounts' | 'clock'>,
  { consumer, isOwn }: Pick<FoundConsumer, 'consumer' | 'isOwn'>,
  key: OrderKey,
) {
  return services.database.transaction(async (tx) => {
    const now = services.clock();
    await lockDeliveryIdsOfOrder(tx, key);
    const order = await lockOrder(tx, key.accountId, key.orderId);
    if (!order) return undefined;
    const { transactions, held } = await loadOrderState(tx, order);
    const relation = isOwn(order) ? 'own' : 'mentioned';
    const scrub = createScrub(
      mergeValues([
        valuesOf(consumer),
        personalValuesOf(order.details, transactions, relation),
        ...(await listValuesInBodies(tx, key)),
      ]),
    );
    const account = await services.accounts.findWithin(tx, key.accountId);
    const replacements = { userId: newUserId(), contentDigest: randomBytes(32) };
    const erased = transactions.map((entry) => eraseFields(entry, scrub));
    await saveErasedOrder(
      tx,
      eraseOrder(order, scrub, relation, replacements),
      held.map((entry) => eraseHeld(entry, scrub)),
      now,
    );
    await saveErasedTransactions(tx, key, erased);
    if (relation === 'own') await forgetEmails(tx, order);
    return {
      relation,
      transactions: listDifferent(erased, transactions).length,
      deliveries: await eraseBodies(tx, key, scrub, now),
      historyRows: await eraseHistory(tx, order, scrub, relation),
      events: await eraseEvents(tx, account, key, { scrub, relation, now }),
    };
  });
}

/** The lock ends the race with a sweep that has read the address before it was erased. */
async function forgetEmails(tx: Transaction, { accountId, userId, earlierConsumers = [] }: Order) {
  await lockSlots(tx, 'emails');
  const userIds = [userId, ...earlierConsumers.map((earlier) => earlier.userId)];
  const known = userIds.filter((id) => id !== null);
  await deleteEmails(tx, accountId, known);
}

export function mergeValues(values: readonly PersonalValues[]): PersonalValues {
  return {
    words: [...new Set(values.flatMap(({ words }) => words))],
    phones: values.flatMap(({ phones }) => phones),
  };
}

/** Small pages, because bodies may be large. */
const pageSize = 100;

function readBodies(tx: Transaction, key: OrderKey) {
  const list = (after = '') => listBodiesOfOrder(tx, key, after, pageSize);
  return readPages<StoredBody>(pageSize, (last) => list(last?.deliveryId));
}

async function listValuesInBodies(tx: Transaction, key: OrderKey): Promise<PersonalValues[]> {
  const values: PersonalValues[] = [];
  for await (const page of readBodies(tx, key)) values.push(...page.map(listPersonalValues));
  return values;
}

export function listPersonalValues({ provider, body }: StoredBody): PersonalValues {
  return getProvider(provider).erasing.listPersonalValues(body);
}

async function eraseBodies(tx: Transaction, key: OrderKey, scrub: Scrub, now: Date) {
  let count = 0;
  for await (const page of readBodies(tx, key)) {
    const erased = page.flatMap((stored) => eraseStored(stored, scrub) ?? []);
    await saveErasedBodies(tx, key.accountId, erased, now);
    count += erased.length;
  }
  return count;
}

/** Undefined if there is nothing to erase. */
export function eraseStored(stored: StoredBody, scrub: Scrub): StoredBody | undefined {
  const body = getProvider(stored.provider).erasing.eraseBody(stored.body, scrub);
  const why = stored.why === null ? null : scrub(stored.why);
  if (body.equals(stored.body) && why === stored.why) return undefined;
  return { ...stored, body, why };
}

async function eraseHistory(
  tx: Transaction,
  order: Order,
  scrub: Scrub,
  relation: ConsumerRelation,
): Promise<number> {
  const rows = await listHistoryRows(tx, order);
  const erased = rows.map((row) => ({
    ...row,
    entries: row.entries.map((entry) => ({
      ...entry,
      changes: entry.changes.map((change) =>
        eraseChange(change, entry.transactionId, scrub, relation),
      ),
    })),
  }));
  const changed = listDifferent(erased, rows);
  await saveHistoryRows(tx, order, changed);
  return changed.length;
}

function listDifferent<Row>(after: readonly Row[], before: readonly Row[]): readonly Row[] {
  return after.filter((row, index) => !isDeepStrictEqual(row, before[index]));
}

type Erasing = {
  readonly scrub: Scrub;
  readonly relation: ConsumerRelation;
  readonly now: Date;
};

/**
 * A body that nobody waits for any more is deleted; one that is still to be sent is rewritten, because the shop must
 * learn the result all the same. Contract 8.7. The order must be locked. Returns how many events were changed.
 */
async function eraseEvents(
  tx: Transaction,
  account: Account | undefined,
  key: OrderKey,
  erasing: Erasing,
): Promise<number> {
  const deleted = await deleteFinishedBodies(tx, key);
  const waiting = await listWaitingBodies(tx, key);
  for (const { sequence, body } of waiting) {
    await saveEventBody(tx, { ...key, sequence }, eraseBody(body, account, erasing));
  }
  return deleted + waiting.length;
}

/** Null if it cannot be opened: the secret that sealed it has expired, so the shop cannot open it either. */
function eraseBody(body: Buffer, account: Account | undefined, erasing: Erasing): Buffer | null {
  const payload = JSON.parse(body.toString('utf8'));
  const { encrypted_response: sealed } = payload;
  if (typeof sealed !== 'string') return toBytes(erasePayload(payload, erasing));
  for (const secret of account ? liveSecrets(account, 'access-secret', erasing.now) : []) {
    const opened = openPayload(sealed, secret);
    if (!opened) continue;
    const erased = JSON.stringify(erasePayload(JSON.parse(opened.toString('utf8')), erasing));
    return toBytes({ ...payload, encrypted_response: sealPayload(erased, secret) });
  }
  return null;
}

function erasePayload(payload: object, { scrub, relation }: Erasing): unknown {
  return scrubTexts(relation === 'own' ? { ...payload, user: null } : payload, scrub);
}

function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
