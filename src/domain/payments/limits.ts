/** Limits of payments, refunds and the calls to their providers. Contract 8.2. */
export const paymentLimits = {
  /** Payments and refunds still pending after this are polled. Contract 11.7. */
  pollSeconds: 60,
  /** Due polls of a provider that are claimed with one statement, and polls of it in progress in a process. */
  pollClaimMax: 16,
  pollsInProgressMax: 512,
  /** Due rows of busy accounts that one claim reads over. */
  pollRowsMax: 10_000,
  /**
   * An account with this many polls in progress is left out of the next claim. With one claim more, that stays below
   * `providerCallsMax`, because consumers who pay need calls too.
   */
  pollsOfAccountMax: 44,
  /** An account whose provider does not answer is left out for `providerPauseMs`, then twice as long, up to this. */
  pollPauseMsMax: 60_000,
  /** Orders that one browser can have at checkout: more cookies would not fit into a request. Contract 14.1. */
  checkoutCookiesMax: 8,
  /** How long the return page waits for a result that is not known yet. Contract 11.10. */
  returnWaitSeconds: 10,
  /** While a consumer waits, the payment is polled at this interval, for this long after its start. */
  returnPollSeconds: 3,
  returnPollsOftenSeconds: 3_600,
  /** Servers accept at least 8 KiB, which may include cookies and other headers. */
  returnUrlCharsMax: 6_000,
  /** Concurrently open payments of one order. */
  openPaymentsMax: 50,
  /** Per order: a shop that references one order in all of its payments must not make it grow for ever. Contract 4.14. */
  transactionsMax: 1_000,
  /** An order with more transactions is not loaded whole for each delivery, where that can be avoided. */
  transactionsLoadedMax: 20,
  /** Per transaction, and of those that no transaction has. A provider has little to say about one payment. */
  noticesMax: 500,
  /** For all tries of one call together. */
  providerAnswerMsMax: 5_000,
  /** How long a repeat waits for the answer to the first request: `providerAnswerMsMax` and some database time. */
  firstAnswerMsMax: 7_000,
  /** Repeats that wait for it; each counts towards `concurrentRequestsMax`. */
  waitingRepeatsOfAccountMax: 64,
  waitingRepeatsMax: 200,
  /** The payment page or UPI intent of a provider; a longer one is not stored. */
  paymentUrlCharsMax: 2_000,
  providerAnswerBytesMax: 4 * 1024 * 1024,
  /** Shorter than servers usually keep idle connections open: a request must not meet one that is being closed. */
  providerConnectionIdleMsMax: 4_000,
  providerTriesMax: 3,
  /** Concurrent calls to one provider, and as many queued; further calls fail. */
  providerCallsMax: 64,
  /** After this many consecutive failures, calls to the provider pause. */
  providerFailuresMax: 5,
  providerPauseMs: 5_000,
} as const;
