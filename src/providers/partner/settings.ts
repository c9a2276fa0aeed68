/** What an account sets for the partner. */
import type { ProviderSettings } from '../settings.ts';

export const partnerSettings: ProviderSettings = {
  webhookSecret: 'partner-webhook-secret',
  login: { option: 'partner-key-id', placeholder: 'ID' },
  apiSecret: { option: 'partner-key-secret', placeholder: 'SECRET' },
  apiUrl: { option: 'partner-url', placeholder: 'URL', defaultValue: 'https://api.razorpay.com' },
  plain: [],
  defaultModes: ['upi', 'credit_card', 'debit_card', 'net_banking', 'wallet', 'prepaid_card'],
  simulatedLogin: (accountName) => `rzp_test_${accountName}`,
};
