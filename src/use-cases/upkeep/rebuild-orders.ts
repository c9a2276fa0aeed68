/** Rebuilds every order from the inbox. */
import type { Actor } from '../../domain/audit.ts';
import type { Services } from '../../services/services.ts';
import { walkDeliveryIds } from '../../store/inbox/deliveries.ts';
import { listOrdersAfter } from '../../store/orders/orders.ts';
import { retryDelivery } from '../inbox/retry-delivery.ts';
import { type Rebuilt, rebuildOrder } from './rebuild-order.ts';

const pageSize = 200;

type RebuiltOrders = {
  readonly rebuilt: readonly string[];
  readonly unchanged: number;
  readonly not_rebuilt_body_pruned: number;
  /** Orders that could not be folded or stored; the log has the reason. */
  readonly failed: readonly string[];
};

/** An order that fails does not stop the others. */
export async function rebuildAll(
  services: Pick<
    Services,
    'database' | 'announcer' | 'counters' | 'clock' | 'settings' | 'reportDefect'
  >,
  actor: Actor,
): Promise<RebuiltOrders> {
  const { database } = services;
  await replayIgnored(services);
  const outcomes: Record<Rebuilt | 'failed', string[]> = {
    same: [],
    rebuilt: [],
    pruned: [],
    failed: [],
  };
  for (let page = await listOrdersAfter(database, undefined, pageSize); page.length > 0; ) {
    for (const { accountId, orderId } of page) {
      const outcome = await rebuildOrder(services, accountId, orderId, actor).catch(
        (error: unknown) => {
          services.reportDefect(error, { orderId });
          return 'failed' as const;
        },
      );
      outcomes[outcome].push(orderId);
    }
    page = await listOrdersAfter(database, page.at(-1), pageSize);
  }
  const { rebuilt, same, pruned, failed } = outcomes;
  return {
    rebuilt,
    unchanged: same.length,
    not_rebuilt_body_pruned: pruned.length,
    failed,
  };
}

/** Deliveries that an earlier version ignored may be understood now. A defect is saved with the delivery. */
async function replayIgnored(
  services: Pick<
    Services,
    'database' | 'announcer' | 'counters' | 'clock' | 'settings' | 'reportDefect'
  >,
): Promise<void> {
  for await (const { accountId, deliveryId } of walkDeliveryIds(services.database, 'ignored')) {
    await retryDelivery(services, accountId, deliveryId, 'requested').catch(() => undefined);
  }
}
