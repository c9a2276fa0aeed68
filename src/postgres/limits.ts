/** Limits of connections, statements and batches. Contract 8.2. */
export const databaseLimits = {
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
  transactionAttemptsMax: 5,
} as const;
