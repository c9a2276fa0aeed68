/** What every use case works with: the handle that comes first in each of them. */
import type { Incoming, StoredOrRefused } from '../domain/inbox/delivery.ts';
import type { Clock } from '../domain/time.ts';

import type { Database } from '../postgres/database.ts';
import type { CallProvider } from '../providers/call.ts';
import type { MasterKeys } from '../security/master-keys.ts';
import type { Batches } from '../store/batches.ts';

import type { AccountDirectory } from './account-directory.ts';
import type { Counters } from './counters.ts';
import type { JobSignals, Poll, Retry } from './job-signals.ts';
import type { CountCall } from './rate-limits.ts';
import type { TokenService } from './token-service.ts';
import type { WaitingRepeats } from './waiting-repeats.ts';
import type { Warnings } from './warnings.ts';

export type Services = {
  readonly database: Database;
  readonly batches: Batches;
  /** Keeps and applies a delivery together with those that wait beside it. */
  readonly storeBatch: StoreBatch;
  readonly masterKeys: MasterKeys;
  readonly accounts: AccountDirectory;
  readonly tokens: TokenService;
  readonly countCall: CountCall;
  readonly waitingRepeats: WaitingRepeats;
  readonly retries: JobSignals<Retry>;
  readonly polls: JobSignals<Poll>;
  readonly callProvider: CallProvider;
  readonly counters: Counters;
  readonly warnings: Warnings;
  readonly clock: Clock;
  readonly settings: ServiceSettings;
  /** Tells the operator of a failure that no caller is told of. */
  readonly reportDefect: ReportDefect;
};

export type ReportDefect = (error: unknown, about: Readonly<Record<string, string>>) => void;

export type ServiceSettings = {
  readonly publicUrl: string;
  /** An order not paid within this time lapses. Contract 4.3. */
  readonly orderLapseSeconds: number;
  /** A transaction that is not final for so long is asked for at its provider. Contract 11.7. */
  readonly pollSeconds: number;
  /** Bodies of finished deliveries, and rows of history, are forgotten after so long; 0 for never. */
  readonly inboxBodyDays: number;
  readonly historyDays: number;
  /** Where accounts that ask for it find their providers. Contract 11.6. */
  readonly simulatorUrl?: string | undefined;
};

export type StoreBatch = (incoming: Incoming) => Promise<StoredOrRefused>;
