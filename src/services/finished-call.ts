/** A call to a provider that has ended, with its answer or without one. */

import type { CallResult } from '../domain/payments/start.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import type { Answer } from '../providers/call.ts';

export type FinishedCall = {
  readonly accountId: string;
  readonly orderId: string;
  readonly transactionId: string;
  readonly provider: ProviderName;
  readonly operation: 'start-payment' | 'start-intent' | 'start-refund' | 'fetch-status';
  readonly answer: Answer;
  readonly outcome: string;
  readonly callResult?: CallResult | undefined;
  /** The provider's ids of the refund parts that `callResult` applies to. */
  readonly partPspIds?: readonly string[] | undefined;
};

/** Saves a call in one batch with others that are waiting. Resolves to the provider's order id that it made known. */
export type RecordCalls = (call: FinishedCall) => Promise<string | undefined>;
