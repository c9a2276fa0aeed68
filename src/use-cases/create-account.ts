/** Opens an account with fresh secrets, which are shown to the operator this once. Decision 1.6. */
import { randomBytes } from 'node:crypto';
import {
  type AccountSettings,
  accountDefaults,
  checkSettings,
  type SecretKind,
} from '../domain/account.ts';
import { accessKeyOf, newAccountId, newSecretId, randomBase62 } from '../domain/ids.ts';
import { insertAccount, insertSecret, type SealedSecret } from '../store/accounts.ts';
import { rowOfSecret } from './account-directory.ts';
import type { Services } from './services.ts';

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

export async function createAccount(
  services: Services,
  wished: Partial<AccountSettings> & Pick<AccountSettings, 'name'>,
): Promise<NewAccount> {
  const settings = checkSettings({ ...accountDefaults, ...wished });
  const accountId = newAccountId();
  const values: Record<SecretKind, string> = {
    'access-secret': newSecretValue('access-secret'),
    'partner-webhook-secret': newSecretValue('partner-webhook-secret'),
    'bank-gateway-secret': newSecretValue('bank-gateway-secret'),
    'consumer-id-key': randomBytes(32).toString('hex'),
  };
  await services.database.transaction(async (tx) => {
    const now = services.clock();
    await insertAccount(tx, accountId, settings, now);
    for (const [kind, value] of Object.entries(values) as [SecretKind, string][]) {
      await insertSecret(tx, accountId, sealSecret(services, accountId, kind, value), now);
    }
  });
  const webhooks = `${services.settings.publicUrl}/api/v3/webhooks`;
  return {
    accountId,
    name: settings.name,
    accessKey: accessKeyOf(accountId),
    accessSecret: values['access-secret'],
    partnerWebhookSecret: values['partner-webhook-secret'],
    bankGatewaySecret: values['bank-gateway-secret'],
    partnerWebhookUrl: `${webhooks}/partner/${accountId}`,
    bankGatewayWebhookUrl: `${webhooks}/bank-gateway/${accountId}`,
  };
}

/** Decision 2.5: access secrets begin `access_secret_`; the others are told apart the same way. */
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
