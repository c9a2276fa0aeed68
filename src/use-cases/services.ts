/** What every use case works with: the handle that comes first in each of them. */
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { type CallProvider, createProviderCaller } from '../providers/call.ts';
import { createMasterKeys, type MasterKeys } from '../security/master-keys.ts';
import { createBatcher } from '../store/batch.ts';
import { type Batches, batchBounds, createBatches } from '../store/batches.ts';
import type { Database } from '../store/database.ts';
import { type AccountDirectory, createAccountDirectory } from './account-directory.ts';
import { createFigures, type Figures } from './figures.ts';
import { type Incoming, type KeptOrRefused, keepTogether } from './keep-together.ts';
import { type Ask, createPlans, type Plans, type Retry } from './plans.ts';
import { type CountCall, createRateLimits } from './rate-limits.ts';
import { createTokenService, type TokenService } from './token-service.ts';
import { createWaitingRepeats, type WaitingRepeats } from './wait-for-first.ts';
import { createWarnings, type LogWarning, type Warnings } from './warnings.ts';

export type Services = {
  readonly database: Database;
  readonly batches: Batches;
  /** Keeps and applies a delivery together with those that wait beside it. */
  readonly keepTogether: (incoming: Incoming) => Promise<KeptOrRefused>;
  readonly masterKeys: MasterKeys;
  readonly accounts: AccountDirectory;
  readonly tokens: TokenService;
  readonly countCall: CountCall;
  readonly waitingRepeats: WaitingRepeats;
  readonly retries: Plans<Retry>;
  readonly asks: Plans<Ask>;
  readonly callProvider: CallProvider;
  readonly figures: Figures;
  readonly warnings: Warnings;
  readonly clock: Clock;
  readonly settings: ServiceSettings;
  /** Tells the operator of a failure that no caller is told of. */
  readonly reportDefect: ReportDefect;
};

export type ReportDefect = (error: unknown, about: Readonly<Record<string, string>>) => void;

export type ServiceSettings = {
  readonly publicUrl: string;
  /** An order not paid within this time lapses. Decision 4.3. */
  readonly orderLapseSeconds: number;
  /** A transaction that is not final for so long is asked for at its provider. Decision 11.7. */
  readonly askSeconds: number;
  /** Bodies of finished deliveries, and rows of history, are forgotten after so long; 0 for never. */
  readonly inboxBodyDays: number;
  readonly historyDays: number;
  /** Where accounts that ask for it find their providers. Decision 11.6. */
  readonly simulatorUrl?: string | undefined;
};

const defaults: Pick<ServiceSettings, 'askSeconds' | 'inboxBodyDays' | 'historyDays'> = {
  askSeconds: limits.askSeconds,
  inboxBodyDays: limits.inboxBodyDays,
  historyDays: 0,
};

export function createServices(parts: {
  readonly database: Database;
  readonly masterKeyHex: string;
  /** Others that stored secrets may be sealed with; all are read again when one is not known. */
  readonly otherMasterKeysHex?: readonly string[];
  readonly readMasterKeysAgain?: () => Promise<readonly string[]>;
  readonly settings: Omit<ServiceSettings, keyof typeof defaults> & Partial<typeof defaults>;
  readonly clock?: Clock;
  readonly reportDefect?: ReportDefect;
  readonly logWarning?: LogWarning;
}): Services {
  const { database, clock = () => new Date(), reportDefect = () => {} } = parts;
  const settings = { ...defaults, ...parts.settings };
  const masterKeys = createMasterKeys(
    [parts.masterKeyHex, ...(parts.otherMasterKeysHex ?? [])],
    parts.readMasterKeysAgain,
  );
  const accounts = createAccountDirectory(database, masterKeys);
  const services: Services = {
    database,
    batches: createBatches(database),
    keepTogether: createBatcher({
      ...batchBounds,
      besideMin: limits.deliveryBatchBesideMin,
      watch: (countWaiting) => database.load.addQueue('deliveries', countWaiting),
      run: (incoming: readonly Incoming[]) => keepTogether(services, incoming),
    }),
    masterKeys,
    settings,
    clock,
    reportDefect,
    retries: createPlans(),
    asks: createPlans(),
    callProvider: createProviderCaller(),
    figures: createFigures(),
    warnings: createWarnings(accounts, clock, parts.logWarning ?? (() => {})),
    accounts,
    tokens: createTokenService(database, masterKeys, clock),
    countCall: createRateLimits(clock),
    waitingRepeats: createWaitingRepeats(),
  };
  return services;
}
