/** What is asked of the database so often that it goes there together with what waits beside it. */
import { limits } from '../domain/limits.ts';
import type { Order } from '../domain/order.ts';
import { createBatcher } from './batch.ts';
import type { Database } from './database.ts';
import {
  findOrdersWithTransactions,
  type OrderQuestion,
  type OrderWithTransactions,
} from './enquiry.ts';
import { insertOrders } from './insert-orders.ts';
import { listWaitingDeliveries, type Waited } from './waiting-deliveries.ts';

export type Batches = {
  /** True when the order is new; false when its invoice has an order already. */
  readonly insertOrder: (order: Order) => Promise<boolean>;
  /** Deliveries that wait for one of these names. */
  readonly listWaitingDeliveries: (waited: Waited) => Promise<readonly string[]>;
  readonly findOrderWithTransactions: (
    question: OrderQuestion,
  ) => Promise<OrderWithTransactions | undefined>;
};

export const batchBounds = {
  sizeMax: limits.batchSizeMax,
  atOnceMax: limits.batchesAtOnceMax,
  queueMax: limits.databaseQueueMax,
};

export function createBatches(database: Database): Batches {
  return {
    insertOrder: createBatcher({
      ...batchBounds,
      run: (orders: readonly Order[]) => insertOrders(database, orders),
    }),
    listWaitingDeliveries: createBatcher({
      ...batchBounds,
      run: (waited: readonly Waited[]) => listWaitingDeliveries(database, waited),
    }),
    findOrderWithTransactions: createBatcher({
      ...batchBounds,
      run: (questions: readonly OrderQuestion[]) => findOrdersWithTransactions(database, questions),
    }),
  };
}
