/** The dependencies of the use cases, passed to each as its first parameter. */
import type { BlockList } from 'node:net';
import type { Incoming, StoredOrRefused } from '../domain/inbox/incoming.ts';
import type { CallResult } from '../domain/payments/start.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import type { Clock } from '../domain/time.ts';
import type { Database } from '../postgres/database.ts';
import type { Answer, CallProvider } from '../providers/call.ts';
import type { AllowedNetworks } from '../security/endpoint-address.ts';
import type { MasterKeys } from '../security/master-key.ts';
import type { Batches } from '../store/orders/batches.ts';
import type { AccountDirectory } from './account-directory.ts';
import type { Announcer } from './announcer.ts';
import type { BackgroundReports } from './background-reports.ts';
import type { Counters } from './counters.ts';
import type { SendEvent } from './event-sender.ts';
import type { RateLimits } from './rate-limits.ts';
import type { TokenService } from './token-service.ts';
import type { Warnings } from './warnings.ts';

export type Services = RateLimits & {
  readonly database: Database;
  /** The same database for background steps and counters: few connections, free plans, longer statements. */
  readonly maintenance: Database;
  readonly batches: Batches;
  /** `use-cases/inbox/store-batch.ts` for one delivery, which joins a batch with others that are waiting. */
  readonly storeBatch: (incoming: Incoming) => Promise<StoredOrRefused>;
  /**
   * `use-cases/payments/record-calls.ts` for one poll, which joins a batch with others that are waiting. Resolves to the
   * provider's order id that it made known.
   */
  readonly recordCalls: (call: FinishedCall) => Promise<string | undefined>;
  readonly masterKeys: MasterKeys;
  readonly accounts: AccountDirectory;
  readonly announcer: Announcer;
  readonly sendEvent: SendEvent;
  readonly tokens: TokenService;
  readonly callProvider: CallProvider;
  readonly counters: Counters;
  /** How the loops of the background are doing, for the metrics. */
  readonly backgroundReports: BackgroundReports;
  readonly warnings: Warnings;
  readonly clock: Clock;
  readonly settings: ServiceSettings;
  /** Logs an error that is not returned to a caller. */
  readonly reportDefect: ReportDefect;
};

export type ReportDefect = (error: unknown, about: Readonly<Record<string, string>>) => void;

export type ServiceSettings = {
  readonly publicUrl: string;
  /** An order that is not paid within this time lapses. Contract 4.3. */
  readonly orderLapseSeconds: number;
  /** Transactions that are still pending after this time are polled. Contract 11.7. */
  readonly pollSeconds: number;
  /** Bodies of finished deliveries are deleted after this many days; 0 means never. */
  readonly inboxBodyDays: number;
  /** History rows are deleted after this many days; 0 means never. */
  readonly historyDays: number;
  /** Bodies of delivered events are deleted after this many days; 0 means never. */
  readonly eventDays: number;
  /** Where events may be sent besides the internet. Contract 12.6. */
  readonly endpointNetworks: AllowedNetworks;
  /** Proxies whose `X-Forwarded-For` is believed. Contract 13.2. */
  readonly trustedProxies: BlockList;
  /** The provider simulator, for accounts that are set up to use it. Contract 11.6. */
  readonly simulatorUrl?: string | undefined;
};

/** A call to a provider that has ended, with its answer or without one. */
export type FinishedCall = {
  readonly accountId: string;
  readonly orderId: string;
  readonly transactionId: string;
  readonly provider: ProviderName;
  readonly operation:
    | 'start-payment'
    | 'start-intent'
    | 'start-refund'
    | 'start-capture'
    | 'start-void'
    | 'fetch-status'
    | 'fetch-dispute';
  readonly answer: Answer;
  readonly outcome: string;
  readonly callResult?: CallResult | undefined;
  /** The provider's ids of the refund parts that `callResult` applies to. */
  readonly partPspIds?: readonly string[] | undefined;
  /** The capture or void that `callResult` applies to. */
  readonly operationId?: string;
};
