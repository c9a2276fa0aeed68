/** Limits of accounts and of what a process keeps of them. Contract 8.2. */
export const accountLimits = {
  /** Callback origins of an account, and as many frame origins. */
  originsMax: 50,
  logoBytesMax: 64 * 1024,
  logoSidePixelsMax: 4_096,
  /** How long a former secret may stay valid when it is rotated on the dashboard. */
  secretOverlapSecondsMax: 30 * 24 * 60 * 60,
  supportPhoneCharsMax: 32,
  requestsPerSecondMax: 1_000_000,

  /** How long a process caches accounts, secrets and keys. */
  secretsCacheMsMax: 1_000,
  accountsCachedMax: 10_000,
  /** An account is read again after this time even if its revision says that nothing changed. */
  accountsReadMsMax: 60_000,
  tokensCachedMax: 5_000,
} as const;
