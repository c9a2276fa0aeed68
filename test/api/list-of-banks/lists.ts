/** The two lists that a checkout lets its consumer choose from; they differ in nothing but their words. */
export const lists = [
  { path: '/api/v3/list-of-banks', code: 'bank_code', mode: 'net_banking' },
  { path: '/api/v3/list-of-wallets', code: 'wallet_code', mode: 'wallet' },
] as const;
