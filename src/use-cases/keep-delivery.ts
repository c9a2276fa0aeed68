/**
 * Keeps one delivery in the inbox and applies it in one transaction. Copies that arrive together wait for
 * the first; a repeat of what was applied changes nothing; a repeat of what was kept but not applied is
 * applied. Decision 6.3.
 */
import { createHash } from 'node:crypto';
import type { Account } from '../domain/account.ts';
import { ServiceError } from '../domain/errors.ts';
import { newDeliveryId } from '../domain/ids.ts';
import type { ProviderName } from '../domain/notice.ts';
import type { Transaction } from '../store/database.ts';
import {
  type Delivery,
  type DeliveryState,
  insertDelivery,
  isUnfinished,
  lockDeliveryByKey,
  updateDelivery,
} from '../store/deliveries.ts';
import { applyDelivery } from './apply-delivery.ts';
import type { DeliveryCaller } from './authenticate-delivery.ts';
import { nextTryOf } from './delivery-schedule.ts';
import { maskDelivery } from './mask-delivery.ts';
import { resultOfAsking, retryDelivery } from './retry-delivery.ts';
import type { Services } from './services.ts';
import { wakeDeliveries } from './wake-deliveries.ts';

export type ReceivedDelivery = {
  readonly status: Exclude<DeliveryState, 'received' | 'dead'> | 'duplicate';
  readonly deliveryId: string;
  readonly orderId: string | null;
  readonly why: string | null;
};

export async function keepDelivery(
  services: Services,
  delivery: Delivery,
  caller: DeliveryCaller,
): Promise<ReceivedDelivery> {
  const { accountId } = delivery;
  const kept = await services.database
    .transaction((tx) => keepAndApply(tx, services, delivery, caller))
    .catch((error: unknown) => keepForLater(services, delivery, error));
  await wakeOthers(services, accountId, kept.names);
  return kept.nextTryAt ? lookAgain(services, accountId, kept) : kept.received;
}

/** A delivery that has just come, or an answer of a provider in the same shape. */
export function newDelivery(
  services: Services,
  account: Account,
  provider: ProviderName,
  { key, headers, body }: { key: string; headers: Delivery['headers']; body: Buffer },
): Delivery {
  return {
    accountId: account.accountId,
    deliveryId: newDeliveryId(account.accountId),
    provider,
    deliveryKey: key.length <= keyCharsMax ? key : digestOf(key),
    state: 'received',
    why: null,
    flags: [],
    headers,
    body: maskDelivery(body),
    expectedMerchant: account.bankGatewayMerchant,
    orderId: null,
    tries: 0,
    nextTryAt: null,
    receivedAt: services.clock(),
    finishedAt: null,
  };
}

/** A key longer than an index holds is known by its digest. */
const keyCharsMax = 255;

export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** This delivery is applied and stands; others that could not be woken now are found by the sweep. */
async function wakeOthers(
  services: Services,
  accountId: string,
  names: readonly string[],
): Promise<void> {
  await wakeDeliveries(services, accountId, names).catch(() => undefined);
}

/**
 * What it waits for may have come while it was being kept: whoever brings that looks for those who
 * wait after it is there, and whoever waits looks again after it waits, so one of them sees the other.
 */
async function lookAgain(
  services: Services,
  accountId: string,
  { received, nextTryAt }: KeptDelivery,
): Promise<ReceivedDelivery> {
  const { deliveryId } = received;
  const again = await retryDelivery(services, accountId, deliveryId, 'asked').catch(
    () => undefined,
  );
  if (again?.delivery && !isUnfinished(again.delivery.state)) {
    await wakeOthers(services, accountId, again.names);
    return outcomeOf(again.delivery, again.delivery.state);
  }
  if (nextTryAt) services.retries.plan({ accountId, deliveryId, at: nextTryAt });
  return received;
}

type KeptDelivery = {
  readonly received: ReceivedDelivery;
  readonly names: readonly string[];
  readonly nextTryAt: Date | null;
};

async function keepAndApply(
  tx: Transaction,
  services: Services,
  fresh: Delivery,
  caller: DeliveryCaller,
): Promise<KeptDelivery> {
  const isNew = await insertDelivery(tx, fresh);
  const delivery = isNew
    ? fresh
    : await lockDeliveryByKey(tx, fresh.accountId, fresh.provider, fresh.deliveryKey);
  if (!delivery) throw new Error('a delivery that could not be inserted is not there');
  if (!isNew && !isUnfinished(delivery.state)) {
    return { received: outcomeOf(delivery, 'duplicate'), names: [], nextTryAt: null };
  }

  const { result: found, names } = await applyDelivery(tx, services, delivery);
  const result = isNew ? found : resultOfAsking(delivery, found);
  if (caller === 'bearer' && isUnfinished(result.state)) throw new ServiceError('ORDER_NOT_FOUND');
  await updateDelivery(tx, delivery.accountId, delivery.deliveryId, result);
  const received = outcomeOf({ ...delivery, ...result }, result.state);
  return { received, names, nextTryAt: result.nextTryAt };
}

/**
 * Applying failed although the database is there: a defect of ours or a poison body. The delivery
 * alone is kept and answered 200; the provider must never switch the endpoint off because of it.
 */
async function keepForLater(
  services: Services,
  delivery: Delivery,
  error: unknown,
): Promise<KeptDelivery> {
  if (error instanceof ServiceError) throw error;
  services.reportDefect(error, { deliveryId: delivery.deliveryId });
  const fresh: Delivery = {
    ...delivery,
    ...nextTryOf(delivery, services.clock(), 'received'),
    why: 'it could not be applied and is tried again',
  };
  const kept = await services.database.transaction(async (tx) => {
    if (await insertDelivery(tx, fresh)) return fresh;
    const { accountId, provider, deliveryKey } = fresh;
    return (await lockDeliveryByKey(tx, accountId, provider, deliveryKey)) ?? fresh;
  });
  return { received: outcomeOf(kept, 'parked'), names: [], nextTryAt: kept.nextTryAt };
}

function outcomeOf(
  { deliveryId, orderId, why }: Pick<Delivery, 'deliveryId' | 'orderId' | 'why'>,
  state: DeliveryState | 'duplicate',
): ReceivedDelivery {
  const status = state === 'received' || state === 'dead' ? 'parked' : state;
  return { status, deliveryId, orderId, why };
}
