/** Changes an open order under its lock and appends the change to its history. Contract 4.7. */
import { maskChange } from '../../domain/consumers/mask.ts';
import { listChanges } from '../../domain/history.ts';
import type { Order } from '../../domain/orders/order.ts';
import { contentOf } from '../../domain/orders/order-update.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { appendHistory } from '../../store/orders/history.ts';
import { saveOrderContent } from '../../store/orders/orders.ts';
import { withEarlierConsumers } from './identify-consumer.ts';
import { countTokenChange, lockOpenOrder } from './order-access.ts';

type OrderChange<Changed extends Order> = {
  readonly orderId: string;
  /** The name of the call, for the history. */
  readonly cause: string;
  /** Returns the changed order. If it throws a refusal, nothing changes. */
  readonly decide: (order: Order) => Changed;
};

export async function changeOrder<Changed extends Order>(
  services: Pick<Services, 'database' | 'accounts' | 'clock'>,
  caller: Caller,
  { orderId, cause, decide }: OrderChange<Changed>,
): Promise<Changed> {
  const account = await services.accounts.get(caller.accountId);
  return services.database.transaction(async (tx) => {
    // Ends the race with deliveries, payments and other changes: each sees the result of the one before.
    const before = await lockOpenOrder(tx, services, caller, orderId);
    const after = decide(before);
    if (listContentChanges(before, after).length === 0) return after;
    await countTokenChange(tx, caller, before);
    const changed = withEarlierConsumers(account, before, after);
    await saveChangedContent(tx, before, changed, { cause, now: services.clock() });
    return after;
  });
}

/** The order must be locked. */
export async function saveChangedContent(
  tx: Transaction,
  before: Order,
  after: Order,
  { cause, now: happenedAt }: { readonly cause: string; readonly now: Date },
): Promise<void> {
  await saveOrderContent(tx, after);
  // Masked after the comparison: two values may differ and have the same mask.
  const changes = listContentChanges(before, after).map(maskChange);
  const entry = { transactionId: null, changes, cause, happenedAt };
  await appendHistory(tx, [{ order: before, entries: [entry] }]);
}

export function listContentChanges(before: Order, after: Order) {
  return listChanges(contentOf(before), contentOf(after));
}
