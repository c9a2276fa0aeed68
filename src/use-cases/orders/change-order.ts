/** Changes an open order at a caller's wish: under its lock, with a row of history. Contract 4.7. */
import { listChanges } from '../../domain/history.ts';
import type { Order } from '../../domain/orders/order.ts';
import { contentOf } from '../../domain/orders/order-update.ts';
import { maskChange } from '../../domain/personal-data/mask-history.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { appendHistory } from '../../store/history.ts';
import { saveOrderContent } from '../../store/orders.ts';
import { countTokenChange } from './count-token-change.ts';
import { withEarlierConsumers } from './earlier-consumers.ts';
import { lockOpenOrder } from './lock-open-order.ts';

type Needs = NeedsOf<typeof lockOpenOrder> & {
  readonly database: Database;
  readonly accounts: AccountDirectory;
  readonly clock: Clock;
};

export type OrderChange<Changed extends Order> = {
  readonly orderId: string;
  /** The call, as the history names it. */
  readonly cause: string;
  /** The order as it should be; throws a refusal, and then nothing changes. */
  readonly decide: (order: Order) => Changed;
};

export async function changeOrder<Changed extends Order>(
  services: Needs,
  caller: Caller,
  { orderId, cause, decide }: OrderChange<Changed>,
): Promise<Changed> {
  const account = await services.accounts.get(caller.accountId);
  return services.database.transaction(async (tx) => {
    // Ends the race with deliveries, attempts and other changes: each sees what the one before left.
    const before = await lockOpenOrder(tx, services, caller, orderId);
    const after = decide(before);
    const changes = listChanges(contentOf(before), contentOf(after));
    if (changes.length === 0) return after;
    await countTokenChange(tx, caller, before);
    await saveOrderContent(tx, withEarlierConsumers(account, before, after));
    // After they were compared: a change that masking hides is a change all the same.
    const masked = changes.map(maskChange);
    const entry = { transactionId: null, changes: masked, cause, happenedAt: services.clock() };
    await appendHistory(tx, [{ order: before, entries: [entry] }]);
    return after;
  });
}
