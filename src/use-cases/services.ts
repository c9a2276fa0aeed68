/** What every use case works with: the handle that comes first in each of them. */
import type { Clock } from '../domain/time.ts';
import { createMasterKey, type MasterKey } from '../security/master-key.ts';
import type { Database } from '../store/database.ts';
import { type AccountDirectory, createAccountDirectory } from './account-directory.ts';
import { createRetries, type Retries } from './retries.ts';
import { createTokenService, type TokenService } from './token-service.ts';

export type Services = {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly accounts: AccountDirectory;
  readonly tokens: TokenService;
  readonly retries: Retries;
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
};

export function createServices(parts: {
  readonly database: Database;
  readonly masterKeyHex: string;
  readonly settings: ServiceSettings;
  readonly clock?: Clock;
  readonly reportDefect?: ReportDefect;
}): Services {
  const { database, settings, clock = () => new Date(), reportDefect = () => {} } = parts;
  const masterKey = createMasterKey(parts.masterKeyHex);
  return {
    database,
    masterKey,
    settings,
    clock,
    reportDefect,
    retries: createRetries(),
    accounts: createAccountDirectory(database, masterKey),
    tokens: createTokenService(database, masterKey, clock),
  };
}
