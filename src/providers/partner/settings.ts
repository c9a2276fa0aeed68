/** What an account sets for the partner. */
import type { ProviderSettings } from '../settings.ts';

/** What people call this provider: in replies, on the pages, and in the sentences about its deliveries. */
export const displayName = 'Razorpay';

/** Off unless set: the partner must enable intents for a merchant first. */
const upiIntent = {
  name: 'upi-intent',
  option: 'partner-upi-intent',
  placeholder: 'on|off',
  description: `Whether UPI payments are started with a link that opens the consumer’s UPI app. ${displayName} must have enabled it; off unless set.`,
  defaultValue: 'off',
  // The checkout then shows a QR code.
  demoValue: 'on',
  findFault: (value: string) => (/^(on|off)$/.test(value) ? undefined : 'must be on or off'),
};

export const partnerSettings: ProviderSettings = {
  webhookSecret: 'partner-webhook-secret',
  login: {
    option: 'partner-key-id',
    placeholder: 'ID',
    description: `The key ID that ${displayName} issued for its API.`,
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
  plain: [upiIntent],
  defaultModes: ['upi', 'credit_card', 'debit_card', 'net_banking', 'wallet', 'prepaid_card'],
  simulatedLogin: (accountName) => `rzp_test_${accountName}`,
};
