/** Creates an account with new secrets, which the operator sees only now. Contract 1.6. */
import { randomBytes } from 'node:crypto';
import {
  type AccountSettings,
  accountDefaults,
  type ProviderAddress,
  type SecretKind,
} from '../../domain/accounts/account.ts';
import { checkLogo } from '../../domain/accounts/logo.ts';
import type { Actor } from '../../domain/audit.ts';
import { accessKeyOf, newAccountId, newSecretId, randomBase62 } from '../../domain/ids.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import {
  checkProviderSettings,
  defaultPaymentModes,
  isSecretKind,
} from '../../providers/account-settings.ts';
import { providers } from '../../providers/providers.ts';
import { findStoredLogin } from '../../providers/settings.ts';
import { rowOfSecret } from '../../services/account-directory.ts';
import { webhookUrlOf } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { saveLogo } from '../../store/accounts/account-logos.ts';
import { insertSecret, type SealedSecret } from '../../store/accounts/account-secrets.ts';
import { insertAccount } from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { checkProviderAddresses } from './check-provider-addresses.ts';

export type NewAccount = Awaited<ReturnType<typeof createAccount>>;

export type RequestedAccount = Partial<AccountSettings> &
  Pick<AccountSettings, 'name'> & {
    readonly apiSecrets?: ApiSecrets;
    /** The bytes of an image. */
    readonly logo?: Buffer;
    /** Uses the simulator for each provider that has no other address. */
    readonly isSimulated?: boolean;
  };

/** Secrets that the providers issued to the merchant for their APIs. */
export type ApiSecrets = Readonly<Record<SecretKind, string>>;

export async function createAccount(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock' | 'settings'>,
  { apiSecrets, isSimulated = false, logo: logoBytes, ...requested }: RequestedAccount,
  actor: Actor,
) {
  const accountId = newAccountId();
  const simulated = isSimulated ? simulatedApis(services, accountId, requested) : {};
  const settings = checkProviderSettings({
    ...accountDefaults,
    paymentModes: defaultPaymentModes(),
    ...requested,
    providerApis: { ...simulated, ...requested.providerApis },
  });
  checkProviderAddresses(services.settings, 'operator', accountDefaults, settings);
  const logo = logoBytes && checkLogo(logoBytes);
  const accessSecret = newSecretValue('access-secret');
  // For each provider the URL for its webhooks, and the secret that authenticates them.
  const webhooks = providers.map(({ name: provider, settings: { webhookSecret: secretKind } }) => ({
    provider,
    url: webhookUrlOf(services, provider, accountId),
    secretKind,
    secret: newSecretValue(secretKind),
  }));
  const values: Record<SecretKind, string> = {
    'access-secret': accessSecret,
    'consumer-id-key': randomBytes(32).toString('hex'),
    ...Object.fromEntries(webhooks.map(({ secretKind, secret }) => [secretKind, secret])),
    ...(isSimulated && newSimulatorSecrets()),
    ...apiSecrets,
  };
  await services.database.transaction(async (tx) => {
    const now = services.clock();
    await insertAccount(tx, accountId, settings, now);
    if (logo) await saveLogo(tx, accountId, logo, logoBytes);
    for (const [kind, value] of Object.entries(values)) {
      await insertSecret(tx, accountId, sealSecret(services, accountId, kind, value), now);
    }
    const action = 'account.created';
    await appendAudit(tx, actor, now, { accountId, action, object: accountId });
  });
  const { name } = settings;
  return { accountId, name, accessKey: accessKeyOf(accountId), accessSecret, webhooks };
}

/** Addresses of the simulator for each provider, with logins of this account. Contract 11.6. */
export function simulatedApis(
  { settings: { simulatorUrl: url } }: Pick<Services, 'settings'>,
  accountId: string,
  { providerSettings = {} }: Partial<AccountSettings>,
): AccountSettings['providerApis'] {
  if (url === undefined) return {};
  const accountName = accountId.slice('acc_'.length);
  const apis: Record<ProviderName, ProviderAddress> = {};
  for (const { name, settings } of providers) {
    if (!settings.simulatedLogin) continue;
    const stored = findStoredLogin(settings, providerSettings[name]);
    apis[name] = { url, login: stored ?? settings.simulatedLogin(accountName) };
  }
  return apis;
}

export function newSimulatorSecrets(): ApiSecrets {
  const simulated = providers.filter(({ settings }) => settings.simulatedLogin);
  const kinds = simulated.map(({ settings }) => settings.apiSecret.option);
  return Object.fromEntries(kinds.map((kind) => [kind, newSecretValue(kind)]));
}

/** Shown to the operator when an account is set up to use the simulator. */
export function simulatorWarning({ settings }: Pick<Services, 'settings'>): string {
  return `Whoever listens at ${settings.simulatorUrl} is trusted as both payment providers of this account: use it for trials only.`;
}

/** The kind is the prefix, as in `access_secret_`. Contract 2.5. */
export function newSecretValue(kind: SecretKind): string {
  return `${kind.replaceAll('-', '_')}_${randomBase62(40)}`;
}

export function sealSecret(
  services: Pick<Services, 'masterKeys'>,
  accountId: string,
  kind: SecretKind,
  value: string,
): SealedSecret {
  if (!isSecretKind(kind)) throw new Error(`there is no kind of secret ${kind}`);
  const secretId = newSecretId();
  const sealed = services.masterKeys.current().seal(value, rowOfSecret(accountId, kind, secretId));
  return { kind, secretId, sealed, expiresAt: null };
}
