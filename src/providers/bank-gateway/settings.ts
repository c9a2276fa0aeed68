/** What an account sets for the gateway. Its merchant id is both the login and the merchant that deliveries name. */
import type { ProviderSettings } from '../settings.ts';

const merchant = { name: 'merchant', option: 'bank-gateway-merchant', placeholder: 'ID' };

export const gatewaySettings: ProviderSettings = {
  webhookSecret: 'bank-gateway-secret',
  login: merchant,
  apiSecret: { option: 'bank-gateway-password', placeholder: 'PASSWORD' },
  // Each bank has its own address.
  apiUrl: { option: 'bank-gateway-url', placeholder: 'URL' },
  plain: [merchant],
  merchantSetting: merchant.name,
  defaultModes: [],
  simulatedLogin: (accountName) => `SIM${accountName}`,
};
