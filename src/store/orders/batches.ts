/** The statements of the busiest requests, batched: concurrent requests share a statement and a commit. */

import type { Order } from '../../domain/orders/order.ts';
import { createAccountBatcher } from '../../postgres/account-batch.ts';
import type { Database } from '../../postgres/database.ts';
import { databaseLimits } from '../../postgres/limits.ts';
import { type KnownNames, listParkedDeliveries } from '../inbox/parked-deliveries.ts';
import { findOrdersWithTransactions, type OrderQuestion } from './enquiry.ts';
import {
  insertLinkedOrdersAndLook,
  insertOrdersAndLook,
  type LinkedOrder,
} from './insert-orders.ts';

export type Batches = ReturnType<typeof createBatches>;

export const batchBounds = {
  sizeMax: databaseLimits.batchSizeMax,
  concurrentMax: databaseLimits.concurrentBatchesMax,
  parallelMin: databaseLimits.parallelBatchMin,
  patienceMs: databaseLimits.slowBatchMs,
  queueMax: databaseLimits.databaseQueueMax,
};

export function createBatches(database: Database) {
  const batch = <Item extends { readonly accountId: string }, Outcome>(
    name: string,
    run: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  ) =>
    createAccountBatcher({
      ...batchBounds,
      accountOf: ({ accountId }: Item) => accountId,
      watch: (countWaiting) => database.queueStats.addQueue(name, countWaiting),
      run,
    });
  return {
    insertOrder: batch('create-order', (orders: readonly Order[]) =>
      insertOrdersAndLook(database, orders),
    ),
    /** With its payment link. */
    insertLinkedOrder: batch('payment-link', (orders: readonly LinkedOrder[]) =>
      insertLinkedOrdersAndLook(database, orders),
    ),
    /** The ids of deliveries that are parked for one of these names. */
    listParkedDeliveries: batch('waiting-deliveries', (waited: readonly KnownNames[]) =>
      database.pipelined((connection) => listParkedDeliveries(connection, waited)),
    ),
    findOrderWithTransactions: batch('enquiry', (questions: readonly OrderQuestion[]) =>
      database.pipelined((connection) => findOrdersWithTransactions(connection, questions)),
    ),
  };
}
