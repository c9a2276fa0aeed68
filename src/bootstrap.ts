/** What must stand before anything is served: the data folder, the database, its schema, the keys. */
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
import { type Log, logWarningsTo } from './log.ts';
import { type Database, type DatabaseAddress, openDatabase } from './postgres/database.ts';
import { isUnavailable } from './postgres/error-classes.ts';
import { sealingKeyIdOf } from './security/master-key.ts';
import { chooseServiceUser, type ServiceUser } from './service-user.ts';
import type { Services } from './services/services.ts';
import { throttle } from './services/throttle.ts';
import { listSealedSamples } from './store/accounts.ts';
import { findMissingMigrations, migrate } from './store/migrate.ts';
import { listSigningKeys } from './store/signing-keys.ts';
import { type DatabaseWait, prepareOrWait } from './wait-for-database.ts';

export type Bootstrapped = {
  readonly services: Services;
  /** Of the database: until it is done nothing can be served. */
  readonly preparation: DatabaseWait;
  /** Whom the process becomes when it needs root no longer. */
  readonly serviceUser: ServiceUser;
  /** Closes what was opened, in the opposite order. */
  readonly close: () => Promise<void>;
};

type Ground = {
  readonly address: DatabaseAddress;
  readonly check: (database: Database) => Promise<unknown>;
  /** Given, a database that is away is waited for until this is aborted. */
  readonly waiting?: AbortSignal | undefined;
  readonly onWaiting?: (explained: unknown) => void;
  readonly closeMore?: () => Promise<void>;
  readonly serviceUser?: ServiceUser;
};

/**
 * For the process that owns the database: starts it in the embedded mode, and migrates. One elsewhere is waited
 * for when it is away.
 */
export async function bootstrap(
  config: Config,
  log: Log,
  waiting: AbortSignal,
): Promise<Bootstrapped> {
  if (config.databaseUrl !== undefined) {
    const address = { connectionString: config.databaseUrl };
    const onWaiting = tellOfWaiting(log);
    const serviceUser = await chooseServiceUser(config);
    return open(config, log, { address, check: migrate, waiting, onWaiting, serviceUser });
  }
  const lock = await lockDataFolder(config.dataDir);
  try {
    // Before there are data: data without their key are not to be given another.
    if (config.masterKeyHex === undefined) await makeMasterKeyOnce(config.dataDir);
    const serviceUser = await chooseServiceUser(config);
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

/** For workers and the command line: joins a database that another process looks after. */
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
  // Who may wait is a worker, whose first process brings the database up to date.
  const check = waiting ? awaitSchema : refuseMissingSchema;
  return open(config, log, { address: await addressOf(config), check, waiting });
}

/** Opens the database, checks it, and makes sure that there is a key to sign with. */
async function open(config: Config, log: Log, ground: Ground): Promise<Bootstrapped> {
  const database = openDatabase(ground.address);
  const close = async () => {
    await database.close();
    await ground.closeMore?.();
  };
  try {
    const services = await assemble(config, log, database);
    const prepare = async () => {
      await ground.check(database);
      await refuseForeignMasterKey(services);
      await services.tokens.prepare();
    };
    const explain = (error: unknown) => explainUnreachable(config, error);
    const preparation = await prepareOrWait({ prepare, explain, ...ground });
    return { services, preparation, serviceUser: ground.serviceUser, close };
  } catch (error) {
    await close();
    throw error;
  }
}

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

/** Where `npm run simulator` is. */
const usualSimulatorUrl = 'http://127.0.0.1:8090';

async function assemble(config: Config, log: Log, database: Database): Promise<Services> {
  const { publicUrl, orderLapseSeconds, pollSeconds } = config;
  const { inboxBodyDays, historyDays, simulatorUrl = usualSimulatorUrl } = config;
  return createServices({
    database,
    ...(await masterKeysOf(config)),
    settings: {
      publicUrl,
      orderLapseSeconds,
      pollSeconds,
      inboxBodyDays,
      historyDays,
      simulatorUrl,
    },
    reportDefect: (error, about) => log.error({ ...about, err: error }, 'a defect'),
    logWarning: logWarningsTo(log),
  });
}

/** From the environment, where they stay as they are; else from the data folder, where they may change. */
async function masterKeysOf({ masterKeyHex, otherMasterKeysHex, dataDir }: Config) {
  if (masterKeyHex !== undefined) return { masterKeyHex, otherMasterKeysHex };
  const readMasterKeysAgain = () => readMasterKeys(dataDir);
  const [current = '', ...others] = await readMasterKeysAgain();
  return { masterKeyHex: current, otherMasterKeysHex: others, readMasterKeysAgain };
}

/** Going on with another key would make every stored secret unreadable, one request at a time. */
async function refuseForeignMasterKey({ database, masterKeys }: Services): Promise<void> {
  const keys = await listSigningKeys(database);
  const samples = await listSealedSamples(database);
  const isForeign =
    (keys.length > 0 && !keys.some((key) => masterKeys.find(key.masterKeyId))) ||
    samples.some((sealed) => !masterKeys.find(sealingKeyIdOf(sealed)));
  if (isForeign) {
    throw new StartError(
      'MASTER_KEY is not the one this database was set up with: give the former one, during a rotation as MASTER_KEY_PREVIOUS.',
    );
  }
}

function tellOfWaiting(log: Log): (explained: unknown) => void {
  return throttle(10_000, (explained) => {
    const why = explained instanceof StartError ? explained.message : 'The database is away.';
    log.warn(`${why} It is waited for; until then every call is answered 503.`);
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
