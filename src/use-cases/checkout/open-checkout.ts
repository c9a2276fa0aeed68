/** Opens the checkout of an order for the holder of its token, and records that it was opened. Contract 14.7. */
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Counters } from '../../services/counters.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { insertCheckout } from '../../store/orders/checkouts.ts';
import { getVisibleOrder } from './list-payment-modes.ts';

type Needs = NeedsOf<typeof getVisibleOrder> & {
  readonly database: Database;
  readonly counters: Counters;
  readonly clock: Clock;
};

export async function openCheckout(
  services: Needs,
  caller: Caller & { readonly orderId: string },
): Promise<void> {
  const { database, counters, clock } = services;
  const order = await getVisibleOrder(services, caller, caller.orderId);
  if (await insertCheckout(database, order, clock())) counters.noteCheckout('opened');
}
