/**
 * Builds the delivery to store from the bytes of a provider's call, or of its answer to a call of ours. Card data is
 * masked. Contract 8.5.
 */
import { hash } from 'node:crypto';
import type { Account } from '../../domain/accounts/account.ts';
import {
  type ExemptFields,
  maskField,
  maskFields,
  mayHoldCardData,
} from '../../domain/cards/card-fields.ts';
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { newDeliveryId } from '../../domain/ids.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { parseExactJson } from '../../domain/json/json.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { findExpectedMerchant } from '../../providers/account-settings.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';

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
  return hash('sha256', content);
}

/**
 * The body of a delivery as it may be stored: card numbers are masked, security codes are removed. Contract 8.5. Most
 * bodies are returned unchanged. A body that may contain card data is serialised again from the parsed value: of two
 * fields with the same name only the second is parsed, and the first could hide a card number.
 */
export function maskDelivery(body: Buffer, exempt: ExemptFields): Buffer {
  const text = body.toString('utf8');
  if (!mayHoldCardData(text)) return body;
  const isJson = text.trimStart().startsWith('{');
  return Buffer.from(isJson ? maskJson(text, exempt) : maskForm(text, exempt), 'utf8');
}

function maskJson(text: string, exempt: ExemptFields): string {
  try {
    return JSON.stringify(maskFields(parseExactJson(text), exempt));
  } catch {
    // Not JSON, or nested too deep. Such a delivery is refused later.
    return maskCardNumbers(text);
  }
}

/** Form data with dotted names, where a name such as `risk.response.rule[0].name` is the path of a field. */
function maskForm(text: string, exempt: ExemptFields): string {
  if (!text.includes('=')) return maskCardNumbers(text);
  const pairs: string[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(/\[\d+\]/g, '').split('.');
    const masked = maskField(path, value, exempt);
    if (masked === undefined) continue;
    pairs.push(`${encodeName(maskCardNumbers(name))}=${encodeURIComponent(masked)}`);
  }
  return pairs.join('&');
}

/** The translator recognises form data by its first name, in which only few characters may be unescaped. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}
