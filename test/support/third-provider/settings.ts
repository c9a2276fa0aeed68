/** An account's settings for Acme Pay: a key, the store of its deliveries, and a region with a default. */
import type { ProviderSettings } from '../../../src/providers/settings.ts';

export const acmePaySettings: ProviderSettings = {
  webhookSecret: 'acme-pay-webhook-secret',
  login: { option: 'acme-pay-key', placeholder: 'KEY', description: 'The key of its API.' },
  apiSecret: { option: 'acme-pay-secret', placeholder: 'SECRET', description: 'Its secret.' },
  apiUrl: {
    option: 'acme-pay-url',
    placeholder: 'URL',
    description: 'The address of its API.',
    defaultValue: 'https://api.acme.example',
  },
  plain: [
    {
      name: 'store',
      option: 'acme-pay-store',
      placeholder: 'NUMBER',
      description: 'The number of the store.',
      findFault: (value) => (/^\d{4}$/.test(value) ? undefined : 'must have 4 digits'),
    },
    {
      name: 'region',
      option: 'acme-pay-region',
      placeholder: 'REGION',
      description: 'The region of the store.',
      defaultValue: 'eu',
    },
  ],
  merchantSetting: 'store',
  defaultModes: [],
};
