/** Prepares everything a process needs before it serves: the data folder, the database, its schema and the keys. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from './config.ts';
import { createServices } from './create-services.ts';
import { ServiceError } from './domain/errors.ts';
import { StartError } from './domain/start-error.ts';
import { lockDataFolder } from './embedded-postgres/data-folder.ts';
import {
  embeddedAddress,
  isEmbeddedDatabaseRunning,
  startEmbeddedDatabase,
} from './embedded-postgres/embedded-database.ts';
import { makeMasterKeyOnce, readMasterKeys } from './embedded-postgres/master-key-file.ts';
import { writeServiceUrl } from './embedded-postgres/service-url-file.ts';
import { loadTracing } from './load-tracing.ts';
import { type Log, logWarningsTo } from './log.ts';
import { type Database, type DatabaseAddress, openDatabase } from './postgres/database.ts';
import { isUnavailable } from './postgres/error-classes.ts';
import { allowedNetworksOf } from './security/endpoint-address.ts';
import { sealingKeyIdOf } from './security/master-key.ts';
import { chooseServiceUser, type ServiceUser } from './service-user.ts';
import type { Services } from './services/services.ts';
import { throttle } from './services/throttle.ts';
import { listSealedSamples } from './store/account-secrets.ts';
import { findMissingMigrations, migrate } from './store/migrate.ts';
import { listSigningKeys } from './store/signing-keys.ts';
import type { Tracing } from './tracing/tracing.ts';
import { type DatabaseWait, prepareOrWait } from './wait-for-database.ts';

export type Bootstrapped = {
  readonly services: Services;
  /** Until the database is prepared, every call is answered 503. */
  readonly databaseWait: DatabaseWait;
  /** The user that the process becomes once it no longer needs root. */
  readonly serviceUser: ServiceUser;
  readonly tracing: Tracing | undefined;
  /** Closes everything that was opened, in reverse order. */
  readonly close: () => Promise<void>;
};

type DatabaseToOpen = {
  readonly address: DatabaseAddress;
  /** The command line serves no requests, so all it does is maintenance. */
  readonly isCommandLine?: boolean;
  readonly check: (database: Database) => Promise<unknown>;
  /** Without it an unavailable database fails the start; with it the process waits until this is aborted. */
  readonly waiting?: AbortSignal | undefined;
  readonly onWaiting?: (explained: unknown) => void;
  readonly closeMore?: () => Promise<void>;
  readonly serviceUser?: ServiceUser;
};

/**
 * For the process that owns the database. In the embedded mode it starts the server; a database elsewhere is waited for
 * if it is unavailable. Then it migrates.
 */
export async function bootstrap(
  config: Config,
  log: Log,
  waiting: AbortSignal,
): Promise<Bootstrapped> {
  if (config.databaseUrl !== undefined) {
    const address = { connectionString: config.databaseUrl };
    const onWaiting = logWaiting(log);
    const serviceUser = await chooseServiceUser(config);
    return open(config, log, { address, check: migrate, waiting, onWaiting, serviceUser });
  }
  const lock = await lockDataFolder(config.dataDir);
  try {
    // Before the database exists: if a database has lost its key file, it must not get a new key.
    if (config.masterKeyHex === undefined) await makeMasterKeyOnce(config.dataDir);
    const serviceUser = await chooseServiceUser(config);
    await writeServiceUrl(config.dataDir, config.publicUrl);
    const warn = (line: string) => log.warn({ line }, 'embedded database');
    const embedded = await startEmbeddedDatabase(config.dataDir, { warn }, serviceUser?.ids);
    const closeMore = async () => {
      await embedded.stop();
      lock.release();
    };
    const { address } = embedded;
    return await open(config, log, { address, check: migrate, closeMore, serviceUser });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** For workers and the command line: connects to a database that another process owns. */
export async function joinBootstrapped(
  config: Config,
  log: Log,
  waiting?: AbortSignal,
): Promise<Bootstrapped> {
  if (config.databaseUrl === undefined && !(await isEmbeddedDatabaseRunning(config.dataDir))) {
    throw new StartError(
      `The embedded database in ${config.dataDir} is not running: start the service with "npm start" first, or set DATABASE_URL.`,
    );
  }
  // Only a worker waits, because its first process is about to migrate the database.
  const check = waiting ? awaitSchema : refuseMissingSchema;
  const address = await addressOf(config);
  return open(config, log, { address, check, waiting, isCommandLine: !waiting });
}

/** Opens the database, checks it, and makes sure that a signing key exists. */
async function open(config: Config, log: Log, toOpen: DatabaseToOpen): Promise<Bootstrapped> {
  const tracing = toOpen.isCommandLine ? undefined : await loadTracing(config, log);
  const onFallback = (reason: Error) =>
    log.warn(
      { err: reason },
      'the database driver cannot pipeline: statements are sent one by one',
    );
  const database = openDatabase(toOpen.address, {
    onFallback,
    purpose: toOpen.isCommandLine ? 'maintenance' : 'requests',
  });
  const maintenance = toOpen.isCommandLine
    ? database
    : openDatabase(toOpen.address, { purpose: 'maintenance' });
  const close = async () => {
    // A statement of maintenance may run longer than a shutdown may take. Whatever it does is done again later.
    if (maintenance !== database)
      await Promise.race([maintenance.close(), delay(maintenanceEndMs, undefined, { ref: false })]);
    await database.close();
    await toOpen.closeMore?.();
    await tracing?.stop();
  };
  try {
    const services = await assemble(config, log, { database, maintenance, tracing });
    const prepare = async () => {
      await toOpen.check(database);
      await refuseForeignMasterKey(services);
      await services.tokens.prepare();
    };
    const explain = (error: unknown) => explainUnreachable(config, error);
    const databaseWait = await prepareOrWait({ prepare, explain, ...toOpen });
    return { services, databaseWait, serviceUser: toOpen.serviceUser, tracing, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const maintenanceEndMs = 1_000;

async function refuseMissingSchema(database: Database): Promise<void> {
  if ((await findMissingMigrations(database)).length > 0) {
    throw new StartError(
      'The database is not set up for this version: start the service with "npm start" first.',
    );
  }
}

async function awaitSchema(database: Database): Promise<void> {
  if ((await findMissingMigrations(database)).length > 0) {
    throw new ServiceError('SERVICE_UNAVAILABLE');
  }
}

/** The address of `npm run simulator`. */
const usualSimulatorUrl = 'http://127.0.0.1:8090';

async function assemble(
  config: Config,
  log: Log,
  parts: Pick<Parameters<typeof createServices>[0], 'database' | 'maintenance' | 'tracing'>,
): Promise<Services> {
  const { publicUrl, orderLapseSeconds, pollSeconds } = config;
  const { inboxBodyDays, historyDays, eventDays, simulatorUrl = usualSimulatorUrl } = config;
  return createServices({
    ...parts,
    ...(await masterKeysOf(config)),
    settings: {
      publicUrl,
      orderLapseSeconds,
      pollSeconds,
      inboxBodyDays,
      historyDays,
      eventDays,
      endpointNetworks: allowedNetworksOf(config.endpointNetworks, {
        loopback: config.databaseUrl === undefined,
      }),
      simulatorUrl,
    },
    reportDefect: (error, about) => log.error({ ...about, err: error }, 'a defect'),
    logWarning: logWarningsTo(log),
  });
}

/** Keys of the environment never change while the process runs; those of the data folder may be rotated. */
async function masterKeysOf({ masterKeyHex, otherMasterKeysHex, dataDir }: Config) {
  if (masterKeyHex !== undefined) return { masterKeyHex, otherMasterKeysHex };
  const readMasterKeysAgain = () => readMasterKeys(dataDir);
  const [current = '', ...others] = await readMasterKeysAgain();
  return { masterKeyHex: current, otherMasterKeysHex: others, readMasterKeysAgain };
}

/** With another key no stored secret could be read, and every request would fail with an internal error. */
async function refuseForeignMasterKey({ database, masterKeys }: Services): Promise<void> {
  const keys = await listSigningKeys(database);
  const samples = await listSealedSamples(database);
  const isForeign =
    (keys.length > 0 && !keys.some((key) => masterKeys.find(key.masterKeyId))) ||
    samples.some((sealed) => !masterKeys.find(sealingKeyIdOf(sealed)));
  if (isForeign) {
    throw new StartError(
      'MASTER_KEY is not the one this database was set up with: use that one, or set it as MASTER_KEY_PREVIOUS during a rotation.',
    );
  }
}

function logWaiting(log: Log): (explained: unknown) => void {
  return throttle(10_000, (explained) => {
    const why =
      explained instanceof StartError ? explained.message : 'The database is unavailable.';
    log.warn(`${why} The service waits for it; until then every call is answered 503.`);
  });
}

async function addressOf(config: Config): Promise<DatabaseAddress> {
  return config.databaseUrl === undefined
    ? embeddedAddress(config.dataDir)
    : { connectionString: config.databaseUrl };
}

function explainUnreachable(config: Config, error: unknown): unknown {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (config.databaseUrl === undefined || error instanceof StartError) return error;
  if ((reason as { code?: unknown }).code === 'ERR_INVALID_URL') {
    return new StartError(
      'DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/database, special characters percent-encoded.',
    );
  }
  const isRefused = /^(28|3D)/.test(String((reason as { code?: unknown }).code));
  if (!isRefused && !isUnavailable(reason)) return error;
  const place = URL.canParse(config.databaseUrl) ? new URL(config.databaseUrl).host : 'its address';
  const why = reason instanceof AggregateError ? reason.errors[0] : reason;
  return new StartError(
    `The database of DATABASE_URL at ${place} cannot be used (${(why as Error).message}): check that it runs and that the URL is right.`,
  );
}
