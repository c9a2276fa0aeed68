/** Limits of requests, orders and tokens. Each subject has its own in `limits.ts`. Contract 8.2. */
export const limits = {
  bodyBytesMax: 256 * 1024,
  /** For calls without a token: generate-token and refresh-token. Contract 8.6. */
  publicBodyBytesMax: 8 * 1024,
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
  /** Folding a batch pauses after this, so that other requests can run. */
  eventLoopMsMax: 8,
  /** Deliveries that are due and are tried again in one transaction. */
  retryBatchMax: 50,
  /** The loops of the background look for due work at this interval. */
  backgroundTickMs: 500,
  /** How long the operator's counters are cached, and how long their query may take. */
  countersCachedMs: 5_000,
  countersAnswerMsMax: 1_000,
  /** A step of the background without a success for this long is late. Contract 1.8. */
  stepLateSeconds: 300,
  shutdownMsMax: 10_000,

  inboxBodyDays: 90,
  /** A dead delivery expires after this. Contract 6.8. */
  deadDeliveryDays: 30,

  /** For all tokens of one order. Contract 2.9. */
  orderTokenRequestsPerSecond: 20,
  orderTokenChangesMax: 100,
  /** Digests of earlier consumers of one order. Each change adds four at most; the oldest are dropped. Contract 8.7. */
  earlierConsumersMax: 1_000,
  ordersCountedMax: 50_000,

  linkExpiryDaysMax: 366,
  /** A link without `expires_at` lives this long. Contract 19.2. */
  linkExpiryDays: 90,
  /** For one payment link. Each use reads an order and signs a token. */
  linkUsesPerSecond: 10,
  linksCountedMax: 50_000,
} as const;
