/** The two lists that a consumer chooses from at checkout; they differ only in their names. */
export const lists = [
  { path: '/api/v3/list-of-banks', code: 'bank_code', mode: 'net_banking', listName: 'bank_list' },
  { path: '/api/v3/list-of-wallets', code: 'wallet_code', mode: 'wallet', listName: 'wallet_list' },
] as const;
