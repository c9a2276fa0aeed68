/**
 * Encrypts bank accounts and masks history that earlier versions stored as clear text. The sweep calls it every minute
 * for a limited number of orders, until all orders are done once.
 */
import { isDeepStrictEqual } from 'node:util';
import { maskChange } from '../../domain/consumers/mask-history.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Transaction } from '../../postgres/database.ts';
import { sealContent } from '../../services/consumer-data-key.ts';
import type { Services } from '../../services/services.ts';
import {
  deleteCursor,
  findCursor,
  listOrdersToScan,
  moveCursor,
  saveSealedContent,
} from '../../store/consumers/personal-data.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import { listHistoryRows, saveHistoryRows } from '../../store/orders/history.ts';
import { lockOrder } from '../../store/orders/orders.ts';
import { countOrdersAfter } from '../../store/upkeep/backlogs.ts';

const pageSize = 500;
const pagesMax = 20;

/** Returns how many orders are left to scan. `isOver` ends it early. */
export async function sealStored(
  services: Pick<Services, 'database' | 'accounts' | 'reportDefect'>,
  isOver: () => boolean,
): Promise<number> {
  const { database } = services;
  let cursor = await findCursor(database);
  for (let page = 0; cursor && page < pagesMax && !isOver(); page += 1) {
    const scanned = await listOrdersToScan(database, cursor, pageSize);
    for (const order of scanned.filter(({ mayHoldClearText }) => mayHoldClearText)) {
      await sealOrder(services, order).catch((error: unknown) =>
        reportOrEnd(services, order, error),
      );
    }
    cursor = scanned.length < pageSize ? undefined : scanned.at(-1);
    await (cursor ? moveCursor(database, cursor) : deleteCursor(database));
  }
  return cursor ? countOrdersAfter(database, cursor) : 0;
}

/** An unavailable database ends this run. A defect in one order must not stop the orders after it. */
function reportOrEnd(
  { reportDefect }: Pick<Services, 'reportDefect'>,
  { orderId }: OrderKey,
  error: unknown,
): void {
  if (error instanceof ServiceError) throw error;
  reportDefect(error, { orderId });
}

async function sealOrder(
  services: Pick<Services, 'database' | 'accounts'>,
  { accountId, orderId }: OrderKey,
): Promise<void> {
  const account = await services.accounts.find(accountId);
  await services.database.transaction(async (tx) => {
    const order = await lockOrder(tx, accountId, orderId);
    if (!order || !account) return;
    const sealed = sealContent(account, orderId, order.details, order.contentDigest);
    if (sealed.details !== order.details) await saveSealedContent(tx, { ...order, ...sealed });
    await maskHistory(tx, order);
  });
}

async function maskHistory(tx: Transaction, order: OrderKey): Promise<void> {
  const rows = await listHistoryRows(tx, order);
  const masked = rows.map((row) => ({
    ...row,
    entries: row.entries.map((entry) =>
      // The history of a transaction must stay equal to the transaction, so it is not masked.
      entry.transactionId === null ? { ...entry, changes: entry.changes.map(maskChange) } : entry,
    ),
  }));
  await saveHistoryRows(
    tx,
    order,
    masked.filter((row, index) => !isDeepStrictEqual(row, rows[index])),
  );
}
