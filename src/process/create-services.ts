/** Creates the services that use cases share. Each process has one set. */
import { eventLimits } from '../domain/events/limits.ts';
import type { Incoming } from '../domain/inbox/incoming.ts';
import { limits } from '../domain/limits.ts';
import { paymentLimits } from '../domain/payments/limits.ts';
import type { Clock } from '../domain/time.ts';
import { renderChange } from '../http/merchant/event-view.ts';
import { createAccountBatcher } from '../postgres/account-batch.ts';
import type { Database } from '../postgres/database.ts';
import { databaseLimits } from '../postgres/limits.ts';
import { listDefaultUrls } from '../providers/account-settings.ts';
import { createProviderCaller } from '../providers/call.ts';
import { allowedNetworksOf, loopback } from '../security/endpoint-address.ts';
import { createMasterKeys } from '../security/master-key.ts';
import { networksOf } from '../security/networks.ts';
import { createAccountDirectory } from '../services/account-directory.ts';
import { createAnnouncer } from '../services/announcer.ts';
import { createBackgroundReports } from '../services/background-reports.ts';
import { createCounters } from '../services/counters.ts';
import { createEventSender } from '../services/event-sender.ts';
import { createProviderSender } from '../services/provider-sender.ts';
import { createRateLimits } from '../services/rate-limits.ts';
import type {
  FinishedCall,
  ReportDefect,
  ServiceSettings,
  Services,
} from '../services/services.ts';
import { createTokenService } from '../services/token-service.ts';
import { createWarnings, type LogWarning } from '../services/warnings.ts';
import { batchBounds, createBatches } from '../store/orders/batches.ts';
import type { Tracing } from '../tracing/start-tracing.ts';
import { storeBatch } from '../use-cases/inbox/store-batch.ts';
import { recordCalls } from '../use-cases/payments/record-calls.ts';

const defaults = {
  pollSeconds: paymentLimits.pollSeconds,
  inboxBodyDays: limits.inboxBodyDays,
  historyDays: 0,
  eventDays: eventLimits.eventDays,
  endpointNetworks: allowedNetworksOf([], { loopback: false }),
  trustedProxies: networksOf(loopback),
} satisfies Partial<ServiceSettings>;

export function createServices(parts: {
  readonly database: Database;
  /** The same as `database` unless given. */
  readonly maintenance?: Database;
  readonly masterKeyHex: string;
  readonly otherMasterKeysHex?: readonly string[];
  /** Called when a secret is encrypted with an unknown key. */
  readonly readMasterKeysAgain?: () => Promise<readonly string[]>;
  readonly settings: Omit<ServiceSettings, keyof typeof defaults> & Partial<ServiceSettings>;
  readonly clock?: Clock;
  readonly reportDefect?: ReportDefect;
  readonly logWarning?: LogWarning;
  readonly tracing?: Tracing | undefined;
}): Services {
  const { tracing, clock = () => new Date(), reportDefect = () => {} } = parts;
  const database = tracing?.traceDatabase(parts.database) ?? parts.database;
  const settings: ServiceSettings = { ...defaults, ...parts.settings };
  const { simulatorUrl } = settings;
  const known = [...listDefaultUrls(), ...(simulatorUrl === undefined ? [] : [simulatorUrl])];
  const callProvider = createProviderCaller(createProviderSender(settings.endpointNetworks, known));
  const { sendEvent } = createEventSender(settings.endpointNetworks);
  const masterKeys = createMasterKeys(
    [parts.masterKeyHex, ...(parts.otherMasterKeysHex ?? [])],
    parts.readMasterKeysAgain,
  );
  const accounts = createAccountDirectory(database, masterKeys);
  const announcer = createAnnouncer(accounts, renderChange);
  const batchServices = { database, accounts, clock, settings, announcer };
  return {
    database,
    maintenance: parts.maintenance ?? parts.database,
    batches: createBatches(database),
    storeBatch: createAccountBatcher({
      ...batchBounds,
      accountOf: ({ delivery }) => delivery.accountId,
      parallelMin: databaseLimits.parallelDeliveryBatchMin,
      watch: (countWaiting) => database.queueStats.addQueue('deliveries', countWaiting),
      run: (incoming: readonly Incoming[], endStage) =>
        storeBatch(batchServices, incoming, endStage),
    }),
    recordCalls: createAccountBatcher({
      ...batchBounds,
      accountOf: ({ accountId }) => accountId,
      watch: (countWaiting) => database.queueStats.addQueue('polls', countWaiting),
      run: (calls: readonly FinishedCall[]) => recordCalls(batchServices, calls),
    }),
    masterKeys,
    settings,
    clock,
    reportDefect,
    callProvider: tracing?.traceProviderCalls(callProvider) ?? callProvider,
    counters: createCounters(),
    backgroundReports: createBackgroundReports(reportDefect),
    warnings: createWarnings(accounts, clock, parts.logWarning ?? (() => {})),
    accounts,
    announcer,
    sendEvent: tracing?.traceEvents(sendEvent) ?? sendEvent,
    tokens: createTokenService(database, masterKeys, clock),
    ...createRateLimits(clock),
  };
}
