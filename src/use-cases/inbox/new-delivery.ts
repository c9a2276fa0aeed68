/** Builds the delivery to store from the bytes of a provider's call, or of its answer to a call of ours. */
import { createHash } from 'node:crypto';
import type { Account } from '../../domain/accounts/account.ts';
import { newDeliveryId } from '../../domain/ids.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { findExpectedMerchant } from '../../providers/account-settings.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';
import { maskDelivery } from './mask-delivery.ts';

export function newDelivery(
  { clock }: Pick<Services, 'clock'>,
  account: Account,
  provider: ProviderName,
  raw: {
    readonly key: string;
    readonly eventId?: string | undefined;
    readonly headers: Delivery['headers'];
    readonly body: Buffer;
  },
): Delivery {
  const receivedAt = clock();
  return {
    accountId: account.accountId,
    deliveryId: newDeliveryId(account.accountId, receivedAt),
    provider,
    deliveryKey: toIndexable(raw.key),
    eventId: raw.eventId === undefined ? null : toIndexable(raw.eventId),
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

/** A key that is too long for an index is replaced by its digest. */
function toIndexable(key: string): string {
  return key.length <= keyCharsMax ? key : digestOf(key);
}

const keyCharsMax = 255;

export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
