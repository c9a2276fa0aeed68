/** Opens an account with fresh secrets, which are shown to the operator this once. Contract 1.6. */
import { randomBytes } from 'node:crypto';
import {
  type AccountSettings,
  type ApiSecretKind,
  accountDefaults,
  checkSettings,
  type SecretKind,
} from '../../domain/accounts/account.ts';
import { accessKeyOf, newAccountId, newSecretId, randomBase62 } from '../../domain/ids.ts';
import { rowOfSecret } from '../../services/account-directory.ts';
import { webhookUrlOf } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { insertAccount, insertSecret, type SealedSecret } from '../../store/accounts.ts';

export type NewAccount = {
  readonly accountId: string;
  readonly name: string;
  readonly accessKey: string;
  readonly accessSecret: string;
  readonly partnerWebhookSecret: string;
  readonly bankGatewaySecret: string;
  readonly partnerWebhookUrl: string;
  readonly bankGatewayWebhookUrl: string;
};

export type WishedAccount = Partial<AccountSettings> &
  Pick<AccountSettings, 'name'> & {
    readonly apiSecrets?: ApiSecrets;
    /** Its providers are those of the simulator, unless it is said otherwise. */
    readonly isSimulated?: boolean;
  };

/** What the providers gave the merchant for their APIs. */
export type ApiSecrets = Readonly<Partial<Record<ApiSecretKind, string>>>;

export async function createAccount(
  services: Services,
  { apiSecrets, isSimulated = false, ...wished }: WishedAccount,
): Promise<NewAccount> {
  const accountId = newAccountId();
  const simulated = isSimulated ? simulatedApis(services, accountId, wished) : {};
  const settings = checkSettings({
    ...accountDefaults,
    ...wished,
    providerApis: { ...simulated, ...wished.providerApis },
  });
  const values = {
    'access-secret': newSecretValue('access-secret'),
    'partner-webhook-secret': newSecretValue('partner-webhook-secret'),
    'bank-gateway-secret': newSecretValue('bank-gateway-secret'),
    'consumer-id-key': randomBytes(32).toString('hex'),
    ...(isSimulated && newSimulatorSecrets()),
    ...apiSecrets,
  };
  await services.database.transaction(async (tx) => {
    const now = services.clock();
    await insertAccount(tx, accountId, settings, now);
    for (const [kind, value] of Object.entries(values) as [SecretKind, string][]) {
      await insertSecret(tx, accountId, sealSecret(services, accountId, kind, value), now);
    }
  });
  return {
    accountId,
    name: settings.name,
    accessKey: accessKeyOf(accountId),
    accessSecret: values['access-secret'],
    partnerWebhookSecret: values['partner-webhook-secret'],
    bankGatewaySecret: values['bank-gateway-secret'],
    partnerWebhookUrl: webhookUrlOf(services, 'partner', accountId),
    bankGatewayWebhookUrl: webhookUrlOf(services, 'bank-gateway', accountId),
  };
}

/** Contract 11.6: both providers of an account at the simulator, under names of its own. */
export function simulatedApis(
  { settings: { simulatorUrl: url } }: Services,
  accountId: string,
  { bankGatewayMerchant }: Partial<AccountSettings>,
): AccountSettings['providerApis'] {
  if (url === undefined) return {};
  const name = accountId.slice('acc_'.length);
  return {
    partner: { url, login: `rzp_test_${name}` },
    'bank-gateway': { url, login: bankGatewayMerchant ?? `SIM${name}` },
  };
}

export function newSimulatorSecrets(): ApiSecrets {
  return {
    'partner-key-secret': newSecretValue('partner-key-secret'),
    'bank-gateway-password': newSecretValue('bank-gateway-password'),
  };
}

/** For the operator, whenever an account is pointed there. */
export function simulatorWarning({ settings: { simulatorUrl } }: Services): string {
  return `Whoever listens at ${simulatorUrl} is trusted as both payment providers of this account: use it for trials only.`;
}

/** Contract 2.5: access secrets begin `access_secret_`; the others are told apart the same way. */
export function newSecretValue(kind: Exclude<SecretKind, 'consumer-id-key'>): string {
  return `${kind.replaceAll('-', '_')}_${randomBase62(40)}`;
}

export function sealSecret(
  services: Services,
  accountId: string,
  kind: SecretKind,
  value: string,
): SealedSecret {
  const secretId = newSecretId();
  const sealed = services.masterKeys.current().seal(value, rowOfSecret(accountId, kind, secretId));
  return { kind, secretId, sealed, expiresAt: null };
}
