/** Reads and validates the environment once. An invalid variable fails the start with one sentence. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { eventLimits } from '../domain/events/limits.ts';
import { limits } from '../domain/limits.ts';
import { StartError } from '../domain/start-error.ts';
import { databaseLimits } from '../postgres/limits.ts';
import { loopback } from '../security/endpoint-address.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type Config = ReturnType<typeof readConfig>;

const connectionsMax = databaseLimits.databaseConnectionsMax;
const daysMax = 36_500;

type Environment = Readonly<Record<string, string | undefined>>;

/** Contract 1.4. */
export function readConfig(env: Environment) {
  const port = readInteger(env, 'PORT', 8080, 1, 65_535);
  const host = readText(env, 'HOST') ?? '127.0.0.1';
  const databaseUrl = readDatabaseUrl(env);
  return Object.freeze({
    host,
    port,
    /** The service's address for clients, without a trailing slash. */
    publicUrl:
      readUrl(env, 'PUBLIC_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    /** Undefined in the embedded mode. */
    databaseUrl,
    /** All connections of a process. Contract 15.2. */
    databaseConnectionsMax: readInteger(env, 'DATABASE_POOL_SIZE', connectionsMax, 4, 1_000),
    /** False: a start refuses an outdated schema instead of migrating it. Contract 15.1. */
    isMigrating: readMigrate(env),
    dataDir: resolve(readText(env, 'DATA_DIR') ?? '.data'),
    /** 64 hexadecimal digits; if undefined, the embedded mode generates a key. */
    masterKeyHex: readMasterKey(env, databaseUrl !== undefined),
    otherMasterKeysHex: readOtherMasterKeys(env),
    workers: readInteger(env, 'WORKERS', 1, 1, 256),
    logLevel: readLogLevel(env),
    orderLapseSeconds: readInteger(env, 'ORDER_LAPSE_HOURS', 24, 1, 24 * 365) * 3600,
    pollSeconds: readInteger(env, nameInUse(env, 'PROVIDER_POLL_SECONDS'), 60, 1, 3600),
    /** 0: never pruned. The same for `historyDays` and `eventDays`. */
    inboxBodyDays: readInteger(env, 'INBOX_BODY_DAYS', limits.inboxBodyDays, 0, daysMax),
    historyDays: readInteger(env, 'HISTORY_DAYS', 0, 0, daysMax),
    eventDays: readInteger(env, 'EVENT_DAYS', eventLimits.eventDays, 0, daysMax),
    /** Networks that events may be sent to, besides the internet. Contract 12.6. */
    endpointNetworks: readNetworks(env, 'ENDPOINT_ALLOWED_NETWORKS') ?? [],
    /** Proxies whose `X-Forwarded-For` is believed: networks and addresses. Contract 13.2. */
    trustedProxies: readNetworks(env, 'TRUSTED_PROXIES') ?? loopback,
    /** Undefined unless set: accounts that use a simulator trust whatever answers at its address. Contract 11.6. */
    simulatorUrl: readUrl(env, 'SIMULATOR_URL'),
    /** Where traces are exported to; undefined: nowhere. Contract 1.11. */
    traceEndpoint: readUrl(env, 'OTEL_EXPORTER_OTLP_ENDPOINT'),
  });
}

const formerNames = [{ former: 'PROVIDER_ASK_SECONDS', name: 'PROVIDER_POLL_SECONDS' }] as const;

/** A value that cannot work is reported under the name that was given. */
function nameInUse(env: Environment, name: (typeof formerNames)[number]['name']): string {
  const { former = name } = formerNames.find((entry) => entry.name === name) ?? {};
  return readText(env, name) === undefined && readText(env, former) !== undefined ? former : name;
}

export function warnOfFormerNames(env: Environment): string[] {
  return formerNames
    .filter(({ former }) => readText(env, former) !== undefined)
    .map(({ former, name }) => `${former} is now called ${name}: rename it, the old name will go.`);
}

/** Files of secrets may be for root only, and the first process may have become another user since it read them. */
export function secretsForWorkers(config: Config): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: config.databaseUrl ?? '',
    DATABASE_URL_FILE: '',
    MASTER_KEY: config.masterKeyHex ?? '',
    MASTER_KEY_FILE: '',
    MASTER_KEY_PREVIOUS: config.otherMasterKeysHex.join(),
    MASTER_KEY_PREVIOUS_FILE: '',
  };
}

/** A secret from the variable, or from the file that the variable with `_FILE` names. Contract 15.1. */
function readSecret(env: Environment, name: string): string | undefined {
  const text = readText(env, name);
  const file = readText(env, `${name}_FILE`);
  if (file === undefined) return text;
  if (text !== undefined) throw new StartError(`Set ${name} or ${name}_FILE, not both.`);
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (content !== '') return content;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`${name}_FILE cannot be read: ${file} (${code}).`);
  }
  throw new StartError(`${name}_FILE is empty: ${file}.`);
}

/** An empty variable counts as not set: compose files pass unset variables as empty ones. */
function readText(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

function readInteger(env: Environment, name: string, fallback: number, min: number, max: number) {
  const text = readText(env, name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new StartError(`${name} must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

function readDatabaseUrl(env: Environment): string | undefined {
  const text = readSecret(env, 'DATABASE_URL');
  if (text !== undefined && !/^postgres(ql)?:\/\//.test(text)) {
    // The value may hold a password, so it is not repeated.
    throw new StartError('DATABASE_URL must begin with postgres:// or postgresql://.');
  }
  return text;
}

function readUrl(env: Environment, name: string): string | undefined {
  const text = readText(env, name);
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new StartError(`${name} must be an http or https URL such as https://pay.example.com.`);
  }
  return text.replace(/\/+$/, '');
}

const keyPattern = /^[0-9a-f]{64}$/i;

function readMasterKey(env: Environment, isExternal: boolean): string | undefined {
  const text = readSecret(env, 'MASTER_KEY');
  if (text === undefined) {
    if (!isExternal) return undefined;
    throw new StartError(
      'MASTER_KEY is missing: with DATABASE_URL set, give 32 random bytes as 64 hexadecimal digits (openssl rand -hex 32), or the file with them as MASTER_KEY_FILE.',
    );
  }
  if (keyPattern.test(text)) return text;
  throw new StartError('MASTER_KEY must be 32 bytes written as 64 hexadecimal digits.');
}

function readOtherMasterKeys(env: Environment): string[] {
  const texts = readSecret(env, 'MASTER_KEY_PREVIOUS')?.split(',') ?? [];
  return texts.map((text) => {
    if (keyPattern.test(text.trim())) return text.trim();
    throw new StartError(
      'MASTER_KEY_PREVIOUS must be keys of 64 hexadecimal digits, separated by commas.',
    );
  });
}

function readMigrate(env: Environment): boolean {
  const text = readText(env, 'MIGRATE') ?? 'yes';
  if (text !== 'yes' && text !== 'no') throw new StartError('MIGRATE must be yes or no.');
  return text === 'yes';
}

function readNetworks(env: Environment, name: string): string[] | undefined {
  const texts = readText(env, name)?.split(',');
  return texts?.map((text) => {
    const network = text.trim();
    if (isNetwork(network) || isIP(network) !== 0) return network;
    throw new StartError(
      `${name} must be networks or addresses such as 10.1.0.0/16,fd00::1, separated by commas: "${network}" is none.`,
    );
  });
}

function isNetwork(text: string): boolean {
  const [address = '', length = '', ...others] = text.split('/');
  const family = isIP(address);
  const isLength = /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128);
  return family !== 0 && isLength && others.length === 0;
}

function readLogLevel(env: Environment): (typeof logLevels)[number] {
  const text = readText(env, 'LOG_LEVEL') ?? 'info';
  const level = logLevels.find((known) => known === text);
  if (!level) throw new StartError(`LOG_LEVEL must be one of ${logLevels.join(', ')}.`);
  return level;
}
