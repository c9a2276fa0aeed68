/** What every use case works with: the handle that comes first in each of them. */
import type { Clock } from '../domain/time.ts';
import { createMasterKeys, type MasterKeys } from '../security/master-keys.ts';
import type { Database } from '../store/database.ts';
import { type AccountDirectory, createAccountDirectory } from './account-directory.ts';
import { createRetries, type Retries } from './retries.ts';
import { createTokenService, type TokenService } from './token-service.ts';

export type Services = {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
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
  /** Others that stored secrets may be sealed with; all are read again when one is not known. */
  readonly otherMasterKeysHex?: readonly string[];
  readonly readMasterKeysAgain?: () => Promise<readonly string[]>;
  readonly settings: ServiceSettings;
  readonly clock?: Clock;
  readonly reportDefect?: ReportDefect;
}): Services {
  const { database, settings, clock = () => new Date(), reportDefect = () => {} } = parts;
  const masterKeys = createMasterKeys(
    [parts.masterKeyHex, ...(parts.otherMasterKeysHex ?? [])],
    parts.readMasterKeysAgain,
  );
  return {
    database,
    masterKeys,
    settings,
    clock,
    reportDefect,
    retries: createRetries(),
    accounts: createAccountDirectory(database, masterKeys),
    tokens: createTokenService(database, masterKeys, clock),
  };
}
