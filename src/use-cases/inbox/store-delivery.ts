/**
 * Keeps one delivery and sees to what follows: others that waited for what it brought, its own next try,
 * and that it is kept even when it cannot be applied. Contract 6.3.
 */

import { createHash } from 'node:crypto';
import type { Account } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newDeliveryId } from '../../domain/ids.ts';
import {
  type Delivery,
  type DeliveryCaller,
  isUnfinished,
  type ReceivedDelivery,
  type StoredDelivery,
} from '../../domain/inbox/delivery.ts';
import { nextTryOf } from '../../domain/inbox/retry-schedule.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { findExpectedMerchant } from '../../providers/account-settings.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';

import { insertDeliveries } from '../../store/delivery-writes.ts';

import { maskDelivery } from './mask-delivery.ts';
import { recogniseDeliveries } from './recognise-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';
import { outcomeOf } from './store-batch.ts';
import { applyParked, unparkDeliveries } from './unpark-deliveries.ts';

export async function storeDelivery(
  services: Services,
  delivery: Delivery,
  caller: DeliveryCaller,
): Promise<ReceivedDelivery> {
  const { accountId } = delivery;
  const kept = await services
    .storeBatch({ delivery, caller })
    .catch((error: unknown) => storeForLater(services, delivery, error));
  if ('refusal' in kept) throw kept.refusal;
  // A copy of what has just come to this state is answered `duplicate`.
  if (kept.received.status === 'needs_review') services.counters.noteDeliveries('needs_review');
  if (kept.waiting.length > 0) {
    await applyParked(services, accountId, kept.waiting).catch(leaveToSweep);
  }
  return kept.nextTryAt ? lookAgain(services, accountId, kept) : kept.received;
}

/** A delivery that has just come, or an answer of a provider in the same shape. */
export function newDelivery(
  services: Services,
  account: Account,
  provider: ProviderName,
  raw: {
    readonly key: string;
    readonly eventId?: string | undefined;
    readonly headers: Delivery['headers'];
    readonly body: Buffer;
  },
): Delivery {
  const receivedAt = services.clock();
  return {
    accountId: account.accountId,
    deliveryId: newDeliveryId(account.accountId, receivedAt),
    provider,
    deliveryKey: indexable(raw.key),
    eventId: raw.eventId === undefined ? null : indexable(raw.eventId),
    state: 'received',
    why: null,
    flags: [],
    headers: raw.headers,
    body: maskDelivery(raw.body, getProvider(provider).exemptFields),
    expectedMerchant: findExpectedMerchant(account, provider) ?? null,
    orderId: null,
    tries: 0,
    nextTryAt: null,
    receivedAt,
    finishedAt: null,
  };
}

/** A key longer than an index holds is known by its digest. */
function indexable(key: string): string {
  return key.length <= keyCharsMax ? key : digestOf(key);
}

const keyCharsMax = 255;

export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** This delivery is applied and stands; others that could not be woken now are found by the sweep. */
function leaveToSweep(): void {}

/**
 * What it waits for may have come while it was being kept: whoever brings that looks for those who
 * wait after it is there, and whoever waits looks again after it waits, so one of them sees the other.
 */
async function lookAgain(
  services: Services,
  accountId: string,
  { received, nextTryAt }: StoredDelivery,
): Promise<ReceivedDelivery> {
  const { deliveryId } = received;
  const again = await retryDelivery(services, accountId, deliveryId, 'asked').catch(
    () => undefined,
  );
  if (again?.delivery && !isUnfinished(again.delivery.state)) {
    await unparkDeliveries(services, accountId, again.names).catch(leaveToSweep);
    return outcomeOf(again.delivery, again.delivery.state);
  }
  if (nextTryAt) services.retries.plan({ accountId, deliveryId, at: nextTryAt });
  return received;
}

/**
 * Applying failed although the database is there: a defect of ours or a poison body. The delivery
 * alone is kept and answered 200; the provider must never switch the endpoint off because of it.
 */
async function storeForLater(
  services: Services,
  delivery: Delivery,
  error: unknown,
): Promise<StoredDelivery> {
  if (error instanceof ServiceError) throw error;
  services.reportDefect(error, { deliveryId: delivery.deliveryId });
  const kept = await services.database.transaction(async (tx) => {
    const { known, fresh } = (await recogniseDeliveries(tx, [delivery]))(delivery);
    if (known) return known;
    const later: Delivery = {
      ...fresh,
      ...nextTryOf(delivery, services.clock(), 'received'),
      why: 'it could not be applied and is tried again',
    };
    await insertDeliveries(tx, [later]);
    return later;
  });
  return { received: outcomeOf(kept, 'parked'), waiting: [], nextTryAt: kept.nextTryAt };
}
