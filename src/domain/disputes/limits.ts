/** Limits of disputes. */
export const disputeLimits = {
  /** Open disputes are polled this often, so that a lost webhook does not hide a result. Contract 17.2. */
  pollSeconds: 24 * 60 * 60,
  /** After a poll without a usable answer. */
  pollRetrySeconds: 60 * 60,
  /** Disputes that one run of the sweep polls. */
  pollsMax: 100,
  /** A deadline is urgent within this time; the alert of operations has the same. */
  urgentSeconds: 72 * 60 * 60,
  /** Sums are over so many disputes that are not final, and so many of those that ended last. */
  summedMax: 10_000,
} as const;
