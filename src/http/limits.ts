/** Limits of connections and requests. Contract 8.2. */
export const httpLimits = {
  /** The body of a refused request is read and discarded up to this size; beyond it the connection is closed. */
  unreadBodyBytesMax: 64 * 1024,

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
} as const;
