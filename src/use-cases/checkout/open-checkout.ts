/** Opens the checkout of an order for the holder of its token, and records that it was opened. Contract 14.7. */
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { insertCheckout } from '../../store/orders/checkouts.ts';
import { getVisibleOrder } from './list-payment-modes.ts';

export async function openCheckout(
  services: Pick<Services, 'database' | 'counters' | 'clock'>,
  caller: Caller & { readonly orderId: string },
): Promise<void> {
  const { database, counters, clock } = services;
  const order = await getVisibleOrder(services, caller, caller.orderId);
  if (await insertCheckout(database, order, clock())) counters.noteCheckout('opened');
}
