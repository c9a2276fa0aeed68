/** The calls of the providers' APIs, as tests and faults see them. */

export type ProviderName = 'partner' | 'bank-gateway';

export type Operation =
  | 'start-payment'
  | 'start-intent'
  | 'start-refund'
  | 'start-capture'
  | 'start-void'
  | 'fetch';

/** A call, reported to tests after it took effect. */
export type Call = {
  readonly provider: ProviderName;
  readonly operation: Operation;
  readonly id: string;
};

/** A call before it takes effect. */
export type ApiCall = Omit<Call, 'id'> & {
  /** Our references of the payment or refund, the most specific first. */
  readonly references: readonly string[];
};
