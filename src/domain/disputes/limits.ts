/** Limits of disputes. */
export const disputeLimits = {
  /** Open disputes are polled this often, so that a lost webhook does not hide a result. Contract 17.2. */
  pollSeconds: 24 * 60 * 60,
  /** After a poll without a usable answer. */
  pollRetrySeconds: 60 * 60,
  /** Disputes that one run of the sweep polls. */
  pollsMax: 100,
} as const;
