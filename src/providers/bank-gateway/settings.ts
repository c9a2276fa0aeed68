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

/** The gateway does not report it: it depends on the consumer's bank. */
export const holdDays = {
  name: 'hold-days',
  option: 'bank-gateway-hold-days',
  placeholder: 'DAYS',
  description: `How many days a hold of ${displayName} lasts, for payments that the shop captures itself; 7 unless set.`,
  defaultValue: '7',
  findFault: (value: string) =>
    /^([1-9]|[12]\d|30)$/.test(value) ? undefined : 'must be 1 to 30 days',
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
  plain: [merchant, holdDays],
  merchantSetting: merchant.name,
  defaultModes: [],
  simulatedLogin: (accountName) => `SIM${accountName}`,
};
