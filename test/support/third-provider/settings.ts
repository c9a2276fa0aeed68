/** An account's settings for Acme Pay: a key, the store of its deliveries, and a region with a default. */
import type { ProviderSettings } from '../../../src/providers/settings.ts';

export const acmePaySettings: ProviderSettings = {
  webhookSecret: 'acme-pay-webhook-secret',
  login: { option: 'acme-pay-key', placeholder: 'KEY' },
  apiSecret: { option: 'acme-pay-secret', placeholder: 'SECRET' },
  apiUrl: { option: 'acme-pay-url', placeholder: 'URL', defaultValue: 'https://api.acme.example' },
  plain: [
    {
      name: 'store',
      option: 'acme-pay-store',
      placeholder: 'NUMBER',
      findFault: (value) => (/^\d{4}$/.test(value) ? undefined : 'must have 4 digits'),
    },
    { name: 'region', option: 'acme-pay-region', placeholder: 'REGION', defaultValue: 'eu' },
  ],
  merchantSetting: 'store',
  defaultModes: [],
};
