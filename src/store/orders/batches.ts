/** The statements of the busiest requests, batched: concurrent requests share a statement and a commit. */

import type { Order } from '../../domain/orders/order.ts';
import { createAccountBatcher } from '../../postgres/account-batch.ts';
import type { Database } from '../../postgres/database.ts';
import { databaseLimits } from '../../postgres/limits.ts';
import { type KnownNames, listParkedDeliveries } from '../inbox/parked-deliveries.ts';
import {
  findOrdersWithTransactions,
  type OrderQuestion,
  type OrderWithTransactions,
} from './enquiry.ts';
import {
  type InsertedOrder,
  insertLinkedOrdersAndLook,
  insertOrdersAndLook,
  type LinkedOrder,
} from './insert-orders.ts';

export type Batches = {
  readonly insertOrder: (order: Order) => Promise<InsertedOrder>;
  /** With its payment link. */
  readonly insertLinkedOrder: (order: LinkedOrder) => Promise<InsertedOrder>;
  /** The ids of deliveries that are parked for one of these names. */
  readonly listParkedDeliveries: (waited: KnownNames) => Promise<readonly string[]>;
  readonly findOrderWithTransactions: (
    question: OrderQuestion,
  ) => Promise<OrderWithTransactions | undefined>;
};

export const batchBounds = {
  sizeMax: databaseLimits.batchSizeMax,
  concurrentMax: databaseLimits.concurrentBatchesMax,
  parallelMin: databaseLimits.parallelBatchMin,
  patienceMs: databaseLimits.slowBatchMs,
  queueMax: databaseLimits.databaseQueueMax,
};

export function createBatches(database: Database): Batches {
  const { addQueue } = database.queueStats;
  return {
    insertOrder: createAccountBatcher({
      ...batchBounds,
      accountOf,
      watch: (countWaiting) => addQueue('create-order', countWaiting),
      run: (orders: readonly Order[]) => insertOrdersAndLook(database, orders),
    }),
    insertLinkedOrder: createAccountBatcher({
      ...batchBounds,
      accountOf,
      watch: (countWaiting) => addQueue('payment-link', countWaiting),
      run: (orders: readonly LinkedOrder[]) => insertLinkedOrdersAndLook(database, orders),
    }),
    listParkedDeliveries: createAccountBatcher({
      ...batchBounds,
      accountOf,
      watch: (countWaiting) => addQueue('waiting-deliveries', countWaiting),
      run: (waited: readonly KnownNames[]) =>
        database.pipelined((connection) => listParkedDeliveries(connection, waited)),
    }),
    findOrderWithTransactions: createAccountBatcher({
      ...batchBounds,
      accountOf,
      watch: (countWaiting) => addQueue('enquiry', countWaiting),
      run: (questions: readonly OrderQuestion[]) =>
        database.pipelined((connection) => findOrdersWithTransactions(connection, questions)),
    }),
  };
}

function accountOf({ accountId }: { readonly accountId: string }): string {
  return accountId;
}
