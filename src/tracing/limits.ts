/** Limits of the export of traces. Contract 1.11. */
export const traceLimits = {
  /** Spans that wait to be exported; further ones are dropped. A shutdown waits for `traceFlushMsMax`. */
  traceSpansQueuedMax: 2_048,
  traceExportIntervalMs: 2_000,
  traceFlushMsMax: 1_000,
  /** A collector that cannot be reached is logged at most this often. */
  traceWarningMs: 60_000,
} as const;
