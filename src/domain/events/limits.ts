/** Limits of events and their endpoints. Contract 8.2 and 12. */
export const eventLimits = {
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
  eventDays: 30,
} as const;
