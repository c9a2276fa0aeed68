/** A merchant's account: its settings and its secrets, which are in clear text in memory only. */
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';
import { findExponent } from '../money/currency.ts';
import { parseDecimal } from '../money/money.ts';
import type { PaymentModeCode } from '../payment-mode.ts';
import type { ProviderName } from '../provider-name.ts';
import { findOrigin, isLoopback, isSecureWebAddress } from '../web-address.ts';
import { findColour } from './colour.ts';
import type { Endpoint } from './endpoint.ts';
import { accountLimits } from './limits.ts';
import type { Logo } from './logo.ts';

/**
 * `access-secret`, `consumer-id-key`, or a kind that a provider describes. Secrets are sealed together with their kind,
 * so renaming one would make them unreadable.
 */
export type SecretKind = string;

/** The kinds of every account. `consumer-id-key` derives every `user_id` and is never rotated: all ids would change. */
export const ownSecretKinds = ['access-secret', 'consumer-id-key'] as const satisfies SecretKind[];

export const signatureVersions = ['v2', 'v3'] as const;
export const captureModes = ['automatic', 'manual'] as const;

export type SignatureVersion = (typeof signatureVersions)[number];

/** Orders in `from` are processed in `to`, converted at `rate` (decimal text). Contract 3.7. */
export type AlternateCurrency = {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
};

/** What becomes of a payment that succeeds after its order lapsed. Contract 19.3. */
export const latePaymentRules = ['keep', 'refund'] as const;

export type ProviderAddress = { readonly url: string; readonly login: string };

/** Plain settings of one provider, by the names it gives them. */
export type ProviderValues = Readonly<Record<string, string>>;

/** How the checkout page looks, and whom its consumers can ask. Nothing of it is secret. Contract 14.2. */
export type Branding = {
  /** `#rrggbb` in lower case; null for ours. */
  readonly colour: string | null;
  /** The three ways to reach the shop are shown to consumers. */
  readonly supportEmail: string | null;
  readonly supportPhone: string | null;
  readonly supportUrl: string | null;
  /** Origins that may show the checkout page in a frame; empty for none. */
  readonly frameOrigins: readonly string[];
  /** Whether consumers may type a UPI id. */
  readonly upiCollect: boolean;
};

export type AccountSettings = Branding & {
  readonly name: string;
  readonly optionalOrderDetails: boolean;
  readonly encryptedPayloads: boolean;
  readonly signatureVersion: SignatureVersion;
  /** Whether the provider captures payments by itself or the shop does. It applies to payments started from then on. */
  readonly captureMode: (typeof captureModes)[number];
  readonly latePayments: (typeof latePaymentRules)[number];
  /** Limit of merchant API calls per process; null for no limit. Contract 8.2. */
  readonly requestsPerSecond: number | null;
  readonly alternateCurrencies: readonly AlternateCurrency[];
  /** Origins that an order token may use in `callback_url`; empty for no list. Contract 11.10. */
  readonly callbackOrigins: readonly string[];
  /** The enabled payment modes, each with its provider. Contract 11.4. */
  readonly paymentModes: Readonly<Partial<Record<PaymentModeCode, ProviderName>>>;
  readonly providerApis: Readonly<Record<ProviderName, ProviderAddress>>;
  readonly providerSettings: Readonly<Record<ProviderName, ProviderValues>>;
};

export type LiveSecret = {
  readonly value: string;
  /** A fingerprint that identifies the secret without revealing it. */
  readonly mark: string;
  /** When it expires; null for the current secret. */
  readonly expiresAt: Date | null;
};

export type Account = AccountSettings & {
  readonly accountId: string;
  /** Its bytes are read only to serve it. */
  readonly logo: Logo | null;
  /** Disabled ones too. */
  readonly endpoints: readonly Endpoint[];
  readonly suspendedAt: Date | null;
  readonly secrets: Readonly<Record<SecretKind, readonly LiveSecret[]>>;
};

export function hasLiveAccessSecret(account: Account, mark: string, now: Date): boolean {
  const secrets = account.secrets['access-secret'] ?? [];
  return secrets.some((secret) => secret.mark === mark && isLive(secret, now));
}

const isLive = ({ expiresAt }: LiveSecret, now: Date) => expiresAt === null || expiresAt > now;

/** The valid secrets of a kind, the current one first. */
export function liveSecrets(account: Account, kind: SecretKind, now: Date): readonly string[] {
  return listLive(account, kind, now).map((secret) => secret.value);
}

/** The access secret with this mark, or else the current one. */
export function accessSecretOf(account: Account, now: Date, mark?: string): string {
  const secrets = listLive(account, 'access-secret', now);
  return (secrets.find((secret) => secret.mark === mark) ?? secrets[0])?.value ?? '';
}

function listLive({ secrets }: Account, kind: SecretKind, now: Date): LiveSecret[] {
  return (secrets[kind] ?? [])
    .filter((secret) => isLive(secret, now))
    .sort((a, b) => Number(a.expiresAt !== null) - Number(b.expiresAt !== null));
}

export const accountDefaults: Omit<AccountSettings, 'name'> = {
  optionalOrderDetails: false,
  encryptedPayloads: false,
  signatureVersion: 'v3',
  captureMode: 'automatic',
  latePayments: 'keep',
  requestsPerSecond: null,
  alternateCurrencies: [],
  callbackOrigins: [],
  colour: null,
  supportEmail: null,
  supportPhone: null,
  supportUrl: null,
  frameOrigins: [],
  upiCollect: false,
  // The providers describe those of a new account.
  paymentModes: {},
  providerApis: {},
  providerSettings: {},
};

export function checkSettings(settings: AccountSettings): AccountSettings {
  if (settings.name.trim() === '' || settings.name.length > 255) {
    refuseField('name', 'must have 1 to 255 characters');
  }
  const { requestsPerSecond: rateLimit } = settings;
  const { requestsPerSecondMax: rateMax } = accountLimits;
  const isRate = (rate: number) => Number.isInteger(rate) && rate >= 1 && rate <= rateMax;
  if (rateLimit !== null && !isRate(rateLimit)) {
    refuseField('requests per second', `must be 1 to ${rateMax}, or off`);
  }
  const seen = new Set<string>();
  for (const { from, to, rate } of settings.alternateCurrencies) {
    const field = `alternate currency ${from}:${to}:${rate}`;
    const decimal = parseDecimal(rate);
    if (findExponent(from) === undefined) refuseField(field, `names an unknown currency ${from}`);
    if (findExponent(to) === undefined) refuseField(field, `names an unknown currency ${to}`);
    if (from === to) refuseField(field, 'must name two different currencies');
    if (!decimal || decimal.digits === 0n) refuseField(field, 'needs a rate above 0 such as 83.25');
    if (seen.has(from)) refuseField(field, `is the second one for ${from}`);
    seen.add(from);
  }
  checkOrigins('callback origin', settings.callbackOrigins);
  checkBranding(settings);
  for (const [provider, { url, login }] of Object.entries(settings.providerApis)) {
    if (!isSafeUrl(url)) {
      refuseField(`${provider} URL`, 'must be an https URL, or an http URL of this machine');
    }
    if (!/^[\w.-]{1,64}$/.test(login)) {
      refuseField(`${provider} login`, 'must have 1 to 64 letters, digits, dots, dashes');
    }
  }
  return settings;
}

function checkBranding(branding: Branding): void {
  const { colour, supportEmail, supportPhone, supportUrl, frameOrigins } = branding;
  if (colour !== null && findColour(colour) !== colour) {
    refuseField('colour', 'must be # and six lower-case hex digits, such as #0a7cff');
  }
  if (supportEmail !== null && !isPlainEmail(supportEmail)) {
    refuseField('support email', 'must be an e-mail address such as help@shop.example');
  }
  if (supportPhone !== null && !isPhone(supportPhone)) {
    const { mobileNumberDigitsMin: min, mobileNumberDigitsMax: max } = limits;
    refuseField('support phone', `must be a number of ${min} to ${max} digits such as +91 80 1234`);
  }
  const isPage = (url: string) => url.length <= limits.textCharsMax && isSecureWebAddress(url);
  if (supportUrl !== null && !isPage(supportUrl)) {
    refuseField('support URL', 'must be an https URL, or an http URL of this machine');
  }
  checkOrigins('frame origin', frameOrigins);
}

/** It becomes a mailto link, where other characters could add recipients or a text. */
function isPlainEmail(text: string): boolean {
  const isAddress = /^[\w.+-]+@[a-z\d-]+(\.[a-z\d-]+)+$/i.test(text);
  return isAddress && text.length <= limits.emailCharsMax;
}

/** It becomes a tel link, and is shown as it is written. */
function isPhone(text: string): boolean {
  if (!/^\+?[\d(][\d ().-]*$/.test(text) || text.length > accountLimits.supportPhoneCharsMax)
    return false;
  const { length } = text.replaceAll(/\D/g, '');
  return length >= limits.mobileNumberDigitsMin && length <= limits.mobileNumberDigitsMax;
}

/** `kind` begins the refusal, such as `callback origin`. */
function checkOrigins(kind: string, origins: readonly string[]): void {
  if (origins.length > accountLimits.originsMax) {
    refuseField(`${kind}s`, `may be at most ${accountLimits.originsMax}`);
  }
  for (const origin of origins) {
    if (findOrigin(origin) === origin) continue;
    refuseField(
      `${kind} ${origin}`,
      'must be https:// and a host, such as https://shop.example, or http:// and a host of this machine',
    );
  }
}

/** A password must not cross a network in clear text, so http is allowed on loopback only. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if ([username, password, search, hash].some((part) => part !== '')) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}
