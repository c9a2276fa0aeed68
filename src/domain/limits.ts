/** Every limit of the service. Contract 8.2. */
export const limits = {
  bodyBytesMax: 256 * 1024,
  /** For calls without a token: generate-token and refresh-token. Contract 8.6. */
  publicBodyBytesMax: 8 * 1024,
  /** The body of a refused request is read and discarded up to this size; beyond it the connection is closed. */
  unreadBodyBytesMax: 64 * 1024,
  nestingMax: 16,
  textCharsMax: 1_024,
  invoiceIdCharsMax: 255,
  refundRequestIdCharsMax: 255,
  idempotencyKeyCharsMax: 255,
  /** After this time a key can be used again. Contract 11.9. */
  idempotencyKeySeconds: 24 * 60 * 60,
  emailCharsMax: 254,
  lineItemsMax: 500,
  customAttributesMax: 50,
  customAttributeKeyCharsMax: 64,
  customAttributeValueCharsMax: 512,
  /** The largest amount. The sum of 500 such amounts is still an exact integer. Contract 3.3. */
  amountMinorMax: 10_000_000_000_000,
  mobileNumberDigitsMin: 4,
  mobileNumberDigitsMax: 15,

  merchantTokenLifetimeSeconds: 20 * 60,
  orderTokenLifetimeSeconds: 20 * 60,
  refreshTokenLifetimeSeconds: 24 * 60 * 60,
  /** The clocks of two of our processes may differ by this much. */
  clockSkewSecondsMax: 30,

  /** A client must send its whole request within this time, and must read some of its reply within the other. */
  requestArrivalMsMax: 10_000,
  writeStallMsMax: 20_000,
  keepAliveMs: 72_000,
  /** Replies of a process that are not read to their end. With more, the oldest connection is closed. */
  unreadRepliesMax: 2_000,
  /** Per process. It exceeds the requests that are handled or queued, so that requests beyond those get a 503. */
  connectionsMax: 20_000,
  /** Per process. Further requests wait in the admission queue, then get a 503. */
  concurrentRequestsMax: 400,
  /** A short wait costs less than a refusal and a retry. Providers time out after five seconds. */
  admissionWaitMsMax: 3_000,
  admissionQueueMax: 10_000,
  /** When the queue is full, the body is dropped and the 503 is delayed by this, to slow down clients that retry. */
  admissionRefusalDelayMs: 1_000,
  admissionQueueBytesMax: 64 * 1024 * 1024,
  statementMsMax: 5_000,
  /** Longer than `statementMsMax`, so that it only ends statements of a database that does not answer. */
  databaseAnswerMsMax: 5_500,
  databaseConnectMsMax: 1_200,
  /** TCP keep-alive probes start after a connection has been silent for this long. */
  databaseSilenceMsMax: 1_000,
  /** When the server has no connections left, the pool uses those it has for this long before it opens more. */
  databaseShareMs: 1_000,
  /** Requests that wait for a database connection; further ones get a 503. */
  databaseQueueMax: 2_000,
  databaseQueueMsMax: 3_000,
  databaseConnectionsMax: 16,
  /** Background steps, counters and the command line use connections of their own, beside those of requests. */
  maintenanceConnectionsMax: 3,
  maintenanceStatementMsMax: 60_000,
  maintenanceAnswerMsMax: 60_500,
  /** Rows or deliveries of one batch. */
  batchSizeMax: 128,
  concurrentBatchesMax: 3,
  /** With this many queued, another batch runs in parallel. */
  parallelBatchMin: 48,
  /** Batches of deliveries take longer, so the next one starts sooner. */
  parallelDeliveryBatchMin: 16,
  /** A batch that takes longer than this lets the next one run in parallel. */
  slowBatchMs: 25,
  batchLockMsMax: 300,
  /** How soon an account tries its worker of Citus again, and how many do at once. */
  workerTrialPauseMs: 500,
  workerTrialsMax: 2,
  /** Folding a batch pauses after this, so that other requests can run. */
  eventLoopMsMax: 8,
  /** Deliveries that are due and are tried again in one transaction. */
  retryBatchMax: 50,
  /** The loops of the background look for due work at this interval. */
  backgroundTickMs: 500,
  transactionAttemptsMax: 5,
  /** How long the operator's counters are cached, and how long their query may take. */
  countersCachedMs: 5_000,
  countersAnswerMsMax: 1_000,
  /** A step of the background without a success for this long is late. Contract 1.8. */
  stepLateSeconds: 300,
  shutdownMsMax: 10_000,
  /** Spans that wait to be exported; further ones are dropped. A shutdown waits for `traceFlushMsMax`. */
  traceSpansQueuedMax: 2_048,
  traceExportIntervalMs: 2_000,
  traceFlushMsMax: 1_000,
  /** A collector that cannot be reached is logged at most this often. */
  traceWarningMs: 60_000,

  /** The default retention of delivery bodies. */
  inboxBodyDays: 90,
  /** A dead delivery expires after this. Contract 6.8. */
  deadDeliveryDays: 30,
  /** Callback origins of an account, and as many frame origins. */
  originsMax: 50,
  logoBytesMax: 64 * 1024,
  logoSidePixelsMax: 4_096,
  /** How long a former secret may stay valid when it is rotated on the dashboard. */
  secretOverlapSecondsMax: 30 * 24 * 60 * 60,
  supportPhoneCharsMax: 32,
  /** The highest rate limit an account can have. */
  requestsPerSecondMax: 1_000_000,

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

  /** Of one account. Contract 12.1 and 12.2. */
  endpointsMax: 10,
  endpointTestsPerMinute: 10,
  eventAnswerMsMax: 15_000,
  eventConnectMsMax: 5_000,
  eventConnectionIdleMsMax: 30_000,
  eventResponseBytesMax: 4 * 1024,
  /** Of an endpoint or provider. The other one is for 1xx responses before the response. */
  responseHeaderBytesMax: 16 * 1024,
  earlyResponsesMax: 10,
  /** Longer than an attempt can take. After that, an event whose process ended is sent by another one. */
  eventClaimSeconds: 40,
  /** Events in progress of one endpoint, and of one whose last attempt failed. */
  eventsOfEndpointMax: 10,
  eventsOfFailingMax: 1,
  /** Of all endpoints in a process, and of all those that fail: they must leave room for the others. */
  eventsInProgressMax: 512,
  eventsFailingInProgressMax: 256,
  /** Beyond this many, an endpoint gets a slot only if it has none. */
  eventsSharedMax: 256,
  /** Attempts for one endpoint in a process. */
  eventsPerSecond: 100,
  /** Lookups of names in progress, of the four that the platform can make at once, and of names not known to be fast. */
  lookupsMax: 3,
  lookupsNotFastMax: 2,
  /** A name that takes longer is slow. */
  lookupFastMsMax: 1_000,
  /** As many as events can be in progress; of slow names, as many as are worth waiting for. */
  lookupsQueuedMax: 512,
  slowLookupsQueuedMax: 48,
  namesRememberedMax: 10_000,
  /** By one statement, when an endpoint is enabled, and how many statements there are. Contract 12.5. */
  eventsMadeDueMax: 10_000,
  eventRoundsMadeDueMax: 20,
  /** An endpoint whose every attempt has failed for this long is disabled. */
  endpointFailingDays: 5,
  /** The default retention of the bodies of delivered events. */
  eventDays: 30,

  /** How long a process caches accounts, secrets and keys. */
  secretsCacheMsMax: 1_000,
  accountsCachedMax: 10_000,
  /** An account is read again after this time even if its revision says that nothing changed. */
  accountsReadMsMax: 60_000,
  tokensCachedMax: 5_000,

  /** For all tokens of one order. Contract 2.9. */
  orderTokenRequestsPerSecond: 20,
  orderTokenChangesMax: 100,
  /** Digests of earlier consumers of one order. Each change adds four at most; the oldest are dropped. Contract 8.7. */
  earlierConsumersMax: 1_000,
  ordersCountedMax: 50_000,

  /** How far ahead a payment link may expire. Contract 14.6. */
  linkExpiryDaysMax: 366,
  /** For one payment link. Each use reads an order and signs a token. */
  linkUsesPerSecond: 10,
  linksCountedMax: 50_000,

  passwordCharsMin: 12,
  passwordCharsMax: 256,
  /** Passwords hashed at a time in a process, each with 19 MiB and a thread, and as many that wait. */
  passwordHashesMax: 2,
  passwordHashesQueuedMax: 32,
  invitationSeconds: 24 * 60 * 60,
  /** Open at a time, for one account. */
  invitationsMax: 50,
  sessionIdleSeconds: 12 * 60 * 60,
  sessionSeconds: 7 * 24 * 60 * 60,
  /** The time of the last request is stored at most this often. */
  sessionSeenSeconds: 60,
  /** Of one user; with more, the one that was not used for the longest time ends. */
  sessionsMax: 20,
  /** After a password or passkey, secrets are shown without asking again. */
  confirmationSeconds: 5 * 60,
  challengeSeconds: 5 * 60,
  passkeysMax: 20,
  userAgentCharsMax: 256,
  /** The failure from which on sign-ins are delayed: of one e-mail address, and of one address on the network. */
  signInFailuresOfUser: 4,
  signInFailuresOfAddress: 20,
  signInDelaySecondsMax: 15 * 60,
  /** When failures are forgotten, and the device and the address of a success, which have a delay of their own. */
  signInFailuresSeconds: 24 * 60 * 60,
  knownVisitorSeconds: 30 * 24 * 60 * 60,
  /** Calls of the dashboard without a session, for one address on the network. */
  visitorRequestsPerSecond: 20,
  visitorsCountedMax: 50_000,
} as const;
