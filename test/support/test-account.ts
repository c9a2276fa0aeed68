/** Creates accounts for tests, with one field for the webhook of each of the two providers. */
import { commandLine } from '../../src/domain/audit.ts';
import type { Services } from '../../src/services/services.ts';
import {
  createAccount,
  type NewAccount,
  type RequestedAccount,
} from '../../src/use-cases/accounts/create-account.ts';

export type CreatedAccount = NewAccount & {
  readonly partnerWebhookSecret: string;
  readonly partnerWebhookUrl: string;
  readonly bankGatewaySecret: string;
  readonly bankGatewayWebhookUrl: string;
};

export type TestSettings = Partial<RequestedAccount> & { readonly bankGatewayMerchant?: string };

/** Offers modes in which the partner checks the bank account of an order. Nothing answers at its address. Contract 3.14. */
export const checkingAccounts = {
  providerApis: { partner: { url: 'http://127.0.0.1:9', login: 'rzp_test_1' } },
  apiSecrets: { 'partner-key-secret': 'partner_key_secret' },
} as const satisfies TestSettings;

export async function createTestAccount(
  services: Services,
  { bankGatewayMerchant, ...requested }: TestSettings,
): Promise<CreatedAccount> {
  const account = await createAccount(
    services,
    {
      name: 'Test shop',
      ...(bankGatewayMerchant !== undefined && {
        providerSettings: { 'bank-gateway': { merchant: bankGatewayMerchant } },
      }),
      ...requested,
    },
    commandLine,
  );
  const webhookOf = (name: string) => {
    const webhook = account.webhooks.find(({ provider }) => provider === name);
    if (!webhook) throw new Error(`the account has no webhook of ${name}`);
    return webhook;
  };
  const [partner, gateway] = [webhookOf('partner'), webhookOf('bank-gateway')];
  return {
    ...account,
    partnerWebhookSecret: partner.secret,
    partnerWebhookUrl: partner.url,
    bankGatewaySecret: gateway.secret,
    bankGatewayWebhookUrl: gateway.url,
  };
}
