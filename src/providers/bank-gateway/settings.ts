/** What an account sets for the gateway. Its merchant id is both the login and the merchant that deliveries name. */
import type { ProviderSettings } from '../settings.ts';

/** What people call this provider: in replies, on the pages, and in the sentences about its deliveries. */
export const displayName = 'Mastercard Gateway';

const merchant = {
  name: 'merchant',
  option: 'bank-gateway-merchant',
  placeholder: 'ID',
  description: `The merchant ID at ${displayName}. An empty value removes it.`,
};

export const gatewaySettings: ProviderSettings = {
  webhookSecret: 'bank-gateway-secret',
  login: merchant,
  apiSecret: {
    option: 'bank-gateway-password',
    placeholder: 'PASSWORD',
    description: 'The password of its API.',
  },
  // Each bank has its own address.
  apiUrl: {
    option: 'bank-gateway-url',
    placeholder: 'URL',
    description: 'The address of its API; each bank has its own.',
  },
  plain: [merchant],
  merchantSetting: merchant.name,
  defaultModes: [],
  simulatedLogin: (accountName) => `SIM${accountName}`,
};
