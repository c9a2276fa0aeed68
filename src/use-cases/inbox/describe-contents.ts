/** What deliveries are about: the event and the amount, or all that was understood, from their stored bodies. */
import type { Delivery, DeliveryKey } from '../../domain/inbox/delivery.ts';
import type { Translation } from '../../domain/inbox/translation.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import type { Queryable } from '../../postgres/database.ts';
import { maskPersonal } from '../../providers/erase.ts';
import { getProvider } from '../../providers/providers.ts';
import { createPauses } from '../../services/event-loop.ts';
import type { Services } from '../../services/services.ts';
import { findDeliveries, findDelivery } from '../../store/inbox/deliveries.ts';
import type { ListedDelivery } from '../../store/inbox/delivery-lists.ts';
import { eraseDelivery, tryTranslate } from './translate-delivery.ts';

/** All null if the body was pruned, or does not name them. */
type Content = {
  readonly event: string | null;
  readonly amount: MinorUnits | null;
  readonly currency: string | null;
};

export type DescribedDelivery = ListedDelivery & Content;

/** Bounds the memory: a body may have 256 KiB. */
const bodiesPerRead = 50;

export async function describeContents(database: Queryable, deliveries: readonly ListedDelivery[]) {
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
  const translation = translationOf(delivery);
  const notice = translation?.kind === 'notice' ? translation.notice : undefined;
  const subject = notice?.refund ?? notice?.payment;
  return {
    event: eventOf(delivery),
    amount: subject?.amount ?? null,
    currency: subject?.currency ?? null,
  };
}

export type DeliveryBody = NonNullable<Awaited<ReturnType<typeof findDeliveryBody>>>;

/**
 * One delivery as it was received, beside what was understood of it. For a reader who may not see personal data, both are
 * masked as for an order token: the masked body is translated, so that nothing else can reach the notice. Its parts are
 * null once the body is pruned. Undefined if the account has no such delivery.
 */
export async function findDeliveryBody(
  { database }: Pick<Services, 'database'>,
  { accountId, deliveryId }: DeliveryKey,
  { masked }: { readonly masked: boolean },
) {
  const stored = await findDelivery(database, accountId, deliveryId);
  if (!stored) return undefined;
  const shown = masked ? eraseDelivery(stored, maskPersonal) : stored;
  const { headers, body, deliveryKey: _key, expectedMerchant: _merchant, ...delivery } = shown;
  return {
    delivery,
    // Never the proof.
    headers,
    // JSON or form data, with card numbers masked since it was stored.
    body: body?.toString('utf8') ?? null,
    event: eventOf(stored),
    understood: translationOf(shown),
  };
}

function eventOf({ headers, body, provider }: Delivery): string | null {
  return headers && body ? (getProvider(provider).findEventName({ headers, body }) ?? null) : null;
}

/** Null once the body is pruned, or if the translator fails. */
function translationOf(delivery: Delivery): Translation | null {
  if (!delivery.headers || !delivery.body) return null;
  const translated = tryTranslate(delivery);
  return 'translation' in translated ? translated.translation : null;
}
