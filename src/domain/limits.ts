/** Every limit of the service, named in one place. Contract 8.2. */
export const limits = {
  bodyBytesMax: 256 * 1024,
  /** Contract 8.6: of calls that anybody may make, generate-token and refresh-token. */
  publicBodyBytesMax: 8 * 1024,
  /** A refused request has its body read up to this size; with a larger one its connection is closed. */
  unreadBodyBytesMax: 64 * 1024,
  nestingMax: 16,
  textCharsMax: 1_024,
  invoiceIdCharsMax: 255,
  refundRequestIdCharsMax: 255,
  idempotencyKeyCharsMax: 255,
  /** Contract 11.9: after so long a key is free again. */
  idempotencyKeySeconds: 24 * 60 * 60,
  emailCharsMax: 254,
  lineItemsMax: 500,
  customAttributesMax: 50,
  customAttributeKeyCharsMax: 64,
  customAttributeValueCharsMax: 512,
  /** Contract 3.3: above this an amount is refused. Sums of 500 such amounts stay exact integers. */
  amountMinorMax: 10_000_000_000_000,
  mobileNumberDigitsMin: 4,
  mobileNumberDigitsMax: 15,

  merchantTokenLifetimeSeconds: 20 * 60,
  orderTokenLifetimeSeconds: 20 * 60,
  refreshTokenLifetimeSeconds: 24 * 60 * 60,
  /** How far the clocks of two of our own processes may differ before a token looks forged. */
  clockSkewSecondsMax: 30,

  /** A client has this long to send its whole request. */
  requestArrivalMsMax: 10_000,
  keepAliveMs: 72_000,
  /** Of one process; more than those who are served and those who may wait, so that the rest gets an answer. */
  connectionsMax: 20_000,
  /** Requests of one process that are worked on at once; the rest waits at the door, and is then shed with 503. */
  concurrentRequestsMax: 400,
  /** To wait for a moment costs less than to be refused and to come again; providers wait for five seconds. */
  admissionWaitMsMax: 3_000,
  admissionQueueMax: 10_000,
  /** Who finds the line full is refused after so long, without what they brought. */
  admissionHoldMs: 1_000,
  admissionQueueBytesMax: 64 * 1024 * 1024,
  statementMsMax: 5_000,
  /** Longer than the database itself gives a statement: only one that says nothing is given up by us. */
  databaseAnswerMsMax: 5_500,
  databaseConnectMsMax: 1_200,
  /** A connection that has been silent for so long is asked whether it still is one. */
  databaseSilenceMsMax: 1_000,
  /** How long those connections that a server has for us are shared before more are asked for. */
  databaseShareMs: 1_000,
  /** Requests that may wait for a database connection before the rest is shed with 503. */
  databaseQueueMax: 2_000,
  databaseQueueMsMax: 3_000,
  databaseConnectionsMax: 16,
  /** What goes to the database together; when a batch is slow, more of the kind go beside it. */
  batchSizeMax: 128,
  concurrentBatchesMax: 3,
  batchBesideMin: 48,
  /** A batch of deliveries is long, so the next one is worth going beside it sooner. */
  deliveryBatchBesideMin: 16,
  batchPatienceMs: 25,
  batchLockMsMax: 300,
  transactionAttemptsMax: 5,
  /** The operator's figures are read from the database this seldom, and given up on after so long. */
  countersCachedMs: 5_000,
  countersAnswerMsMax: 1_000,
  shutdownMsMax: 10_000,

  /** A kept body is forgotten after so long, unless the operator says otherwise. */
  inboxBodyDays: 90,
  /** Contract 6.8: a delivery that has been dead for so long expires. */
  deadDeliveryDays: 30,
  callbackOriginsMax: 50,
  /** The most that a limit of an account can be. */
  requestsPerSecondMax: 1_000_000,

  /** Contract 11.7: what is not final for so long is asked for at its provider. */
  pollSeconds: 60,
  /** Contract 11.10: how long a consumer who returns waits for a result that is not known yet. */
  returnWaitSeconds: 10,
  /** One payment is polled this often while consumers wait, for so long after its start; then like an enquiry. */
  returnPollSeconds: 3,
  returnPollsOftenSeconds: 3_600,
  /** Servers take at least 8 KiB of a request line; cookies and other headers may share that. */
  returnUrlCharsMax: 6_000,
  /** Payments of one order that may be open at once; no consumer needs so many. */
  openPaymentsMax: 50,
  /** Contract 4.14: a shop that names one order in all of its payments must not make it grow without end. */
  transactionsMax: 1_000,
  /** For all tries of one call. */
  providerAnswerMsMax: 5_000,
  /** A repeat waits so long for the answer to the first request: the provider's time, and some for the database. */
  firstAnswerMsMax: 7_000,
  /** Repeats that wait for it, each in one of the places of `concurrentRequestsMax`. */
  waitingRepeatsOfAccountMax: 64,
  waitingRepeatsMax: 200,
  providerAnswerBytesMax: 4 * 1024 * 1024,
  providerTriesMax: 3,
  /** Calls to one provider under way at once, and as many waiting; the rest is not made. */
  providerCallsMax: 64,
  /** After so many failures in a row a provider is left alone for a while. */
  providerFailuresMax: 5,
  providerPauseMs: 5_000,

  /** How long a process may go on with secrets and keys it has read before it looks again. */
  secretsCacheMsMax: 1_000,
  accountsCachedMax: 10_000,
  tokensCachedMax: 5_000,

  /** Contract 2.9: what the tokens of one order may do. */
  orderTokenRequestsPerSecond: 20,
  orderTokenChangesMax: 100,
  /** Contract 8.7: digests of earlier consumers in one order. Each change adds four at most; the oldest go first. */
  earlierConsumersMax: 1_000,
  ordersCountedMax: 50_000,
} as const;
