/** What deliveries are about: the event and the amount, from their stored bodies. */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import type { Queryable } from '../../postgres/database.ts';
import { getProvider } from '../../providers/providers.ts';
import { createPauses } from '../../services/event-loop.ts';
import { findDeliveries } from '../../store/inbox/deliveries.ts';
import type { ListedDelivery } from '../../store/inbox/delivery-lists.ts';
import { tryTranslate } from './translate-delivery.ts';

/** All null if the body was pruned, or does not name them. */
type Content = {
  readonly event: string | null;
  readonly amount: MinorUnits | null;
  readonly currency: string | null;
};

export type DescribedDelivery = ListedDelivery & Content;

/** Bounds the memory: a body may have 256 KiB. */
const bodiesPerRead = 50;

export async function describeContents(
  database: Queryable,
  deliveries: readonly ListedDelivery[],
): Promise<DescribedDelivery[]> {
  const contents = new Map<string, Content>();
  const pauseIfLong = createPauses(1, 2);
  for (const [accountId, own] of Map.groupBy(deliveries, (delivery) => delivery.accountId)) {
    const ids = own.map(({ deliveryId }) => deliveryId);
    for (let at = 0; at < ids.length; at += bodiesPerRead) {
      const some = await findDeliveries(database, accountId, ids.slice(at, at + bodiesPerRead));
      for (const delivery of some) {
        contents.set(delivery.deliveryId, contentOf(delivery));
        const pause = pauseIfLong();
        if (pause) await pause;
      }
    }
  }
  return deliveries.map((delivery) => ({
    ...delivery,
    ...(contents.get(delivery.deliveryId) ?? nothingKnown),
  }));
}

const nothingKnown: Content = { event: null, amount: null, currency: null };

function contentOf(delivery: Delivery): Content {
  const { headers, body, provider } = delivery;
  if (!headers || !body) return nothingKnown;
  const translated = tryTranslate(delivery);
  const translation = 'translation' in translated ? translated.translation : undefined;
  const notice = translation?.kind === 'notice' ? translation.notice : undefined;
  const subject = notice?.refund ?? notice?.payment;
  return {
    event: getProvider(provider).findEventName({ headers, body }) ?? null,
    amount: subject?.amount ?? null,
    currency: subject?.currency ?? null,
  };
}
