/**
 * Receives one delivery: kept in the inbox and applied in one transaction, and only then answered.
 * Copies that arrive together wait for the first; a repeat of what was applied changes nothing;
 * a repeat of what was kept but not applied is applied. Decision 6.3.
 */
import { createHash } from 'node:crypto';
import type { Account } from '../domain/account.ts';
import { ServiceError } from '../domain/errors.ts';
import { newDeliveryId } from '../domain/ids.ts';
import type { ProviderName } from '../domain/notice.ts';
import type { Provider, RawDelivery } from '../providers/provider.ts';
import { getProvider, providers } from '../providers/providers.ts';
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
import {
  authenticateDelivery,
  type DeliveryCaller,
  type DeliveryClaims,
} from './authenticate-delivery.ts';
import { nextTryOf } from './delivery-schedule.ts';
import { maskDelivery } from './mask-delivery.ts';
import { resultOfAsking, retryDelivery } from './retry-delivery.ts';
import type { Services } from './services.ts';
import { wakeDeliveries } from './wake-deliveries.ts';

/** The providers whose deliveries can be received, for the paths they call. */
export const deliveryProviders: readonly Pick<
  Provider,
  'name' | 'displayName' | 'deliverySchema'
>[] = providers;
export type DeliveryProvider = (typeof deliveryProviders)[number];

export type ReceivedDelivery = {
  readonly status: Exclude<DeliveryState, 'received' | 'dead'> | 'duplicate';
  readonly deliveryId: string;
  readonly orderId: string | null;
  readonly why: string | null;
};

export async function receiveDelivery(
  services: Services,
  providerName: ProviderName,
  raw: RawDelivery,
  claims: DeliveryClaims,
): Promise<ReceivedDelivery> {
  const provider = getProvider(providerName);
  const { account, caller } = await authenticateDelivery(services, provider, raw, claims);
  refuseUnreadable(provider, raw, account, caller);
  const delivery = toDelivery(services, account, provider, raw);
  const kept = await services.database
    .transaction((tx) => keepAndApply(tx, services, delivery, caller))
    .catch((error: unknown) => keepForLater(services, delivery, error));
  await wakeOthers(services, account.accountId, kept.names);
  return kept.nextTryAt ? lookAgain(services, account.accountId, kept) : kept.received;
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

  const { result: found, names } = await applyDelivery(tx, delivery, services.clock());
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

function toDelivery(
  services: Services,
  account: Account,
  provider: Provider,
  raw: RawDelivery,
): Delivery {
  return {
    accountId: account.accountId,
    deliveryId: newDeliveryId(account.accountId),
    provider: provider.name,
    deliveryKey: keyOf(provider, raw),
    state: 'received',
    why: null,
    flags: [],
    // Never the proofs: a signature or a shared secret has no business in the inbox.
    headers: Object.fromEntries(
      provider.keptHeaders.flatMap((name) => {
        const value = raw.headers[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    body: maskDelivery(raw.body),
    expectedMerchant: account.bankGatewayMerchant,
    orderId: null,
    tries: 0,
    nextTryAt: null,
    receivedAt: services.clock(),
    finishedAt: null,
  };
}

/** A key longer than an index holds is known by its digest. */
function keyOf(provider: Provider, raw: RawDelivery): string {
  const key = provider.findKey(raw);
  if (key !== undefined && key.length <= keyCharsMax) return key;
  return createHash('sha256')
    .update(key ?? raw.body)
    .digest('hex');
}

const keyCharsMax = 255;

/** What can never be right is refused before anything is kept. Decision 6.5. */
function refuseUnreadable(
  provider: Provider,
  raw: RawDelivery,
  account: Account,
  caller: DeliveryCaller,
): void {
  const translation = translateSafely(provider, raw, account);
  if (translation?.kind === 'unreadable') {
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      `The delivery cannot be read: ${translation.why}.`,
    );
  }
  if (translation?.kind === 'ignored' && translation.isForeignEvent && caller === 'bearer') {
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      `The delivery is refused: ${translation.why}.`,
    );
  }
}

/** A translator that fails is a defect of ours; the delivery is then kept for later. */
function translateSafely(provider: Provider, raw: RawDelivery, account: Account) {
  try {
    return provider.translate(raw, account);
  } catch {
    return undefined;
  }
}

function outcomeOf(
  { deliveryId, orderId, why }: Pick<Delivery, 'deliveryId' | 'orderId' | 'why'>,
  state: DeliveryState | 'duplicate',
): ReceivedDelivery {
  const status = state === 'received' || state === 'dead' ? 'parked' : state;
  return { status, deliveryId, orderId, why };
}
