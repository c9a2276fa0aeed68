/** What an account sets for the partner. */
import type { ProviderSettings } from '../settings.ts';

export const partnerSettings: ProviderSettings = {
  webhookSecret: 'partner-webhook-secret',
  login: {
    option: 'partner-key-id',
    placeholder: 'ID',
    description: 'The key id that the payment partner issued for its API.',
  },
  apiSecret: {
    option: 'partner-key-secret',
    placeholder: 'SECRET',
    description: 'The secret of that key.',
  },
  apiUrl: {
    option: 'partner-url',
    placeholder: 'URL',
    description: 'The address of its API, if it is not the usual one.',
    defaultValue: 'https://api.razorpay.com',
  },
  plain: [],
  defaultModes: ['upi', 'credit_card', 'debit_card', 'net_banking', 'wallet', 'prepaid_card'],
  simulatedLogin: (accountName) => `rzp_test_${accountName}`,
};
