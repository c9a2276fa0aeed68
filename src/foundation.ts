/** What must stand before anything is served: the data folder, the database, its schema, the keys. */
import type { Config } from './config.ts';
import { StartError } from './domain/start-error.ts';
import type { Log } from './log.ts';
import { sealingKeyIdOf } from './security/master-key.ts';
import { listSealedSamples } from './store/accounts.ts';
import { type Database, type DatabaseAddress, openDatabase } from './store/database.ts';
import { isUnavailable } from './store/database-troubles.ts';
import { lockDataFolder } from './store/embedded/data-folder.ts';
import {
  embeddedAddress,
  isEmbeddedDatabaseRunning,
  startEmbeddedDatabase,
} from './store/embedded/embedded-database.ts';
import { makeMasterKeyOnce, readMasterKeys } from './store/embedded/master-key-file.ts';
import { findMissingMigrations, migrate } from './store/migrate.ts';
import { listSigningKeys } from './store/signing-keys.ts';
import { createServices, type Services } from './use-cases/services.ts';

export type Foundation = {
  readonly services: Services;
  /** Closes what was opened, in the opposite order. */
  readonly close: () => Promise<void>;
};

/** For the process that owns the database: starts it in the embedded mode, and migrates. */
export async function layFoundation(config: Config, log: Log): Promise<Foundation> {
  if (config.databaseUrl !== undefined) {
    return prepare(config, log, { connectionString: config.databaseUrl }, async () => {});
  }
  const lock = await lockDataFolder(config.dataDir);
  try {
    // Before there are data: data without their key are not to be given another.
    if (config.masterKeyHex === undefined) await makeMasterKeyOnce(config.dataDir);
    const embedded = await startEmbeddedDatabase(config.dataDir, {
      warn: (line) => log.warn({ line }, 'embedded database'),
    });
    return await prepare(config, log, embedded.address, async () => {
      await embedded.stop();
      lock.release();
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** For workers and the command line: joins a database that another process looks after. */
export async function joinFoundation(config: Config, log: Log): Promise<Foundation> {
  if (config.databaseUrl === undefined && !(await isEmbeddedDatabaseRunning(config.dataDir))) {
    throw new StartError(
      `The embedded database in ${config.dataDir} is not running: start the service with "npm start" first, or set DATABASE_URL.`,
    );
  }
  return open(config, log, addressOf(config), async () => {}, refuseMissingSchema);
}

/** Opens and brings the database up to date, and makes sure that there is a key to sign with. */
function prepare(
  config: Config,
  log: Log,
  address: DatabaseAddress,
  closeMore: () => Promise<void>,
): Promise<Foundation> {
  return open(config, log, address, closeMore, async (database) => {
    await migrate(database);
  });
}

async function open(
  config: Config,
  log: Log,
  address: DatabaseAddress,
  closeMore: () => Promise<void>,
  check: (database: Database) => Promise<void>,
): Promise<Foundation> {
  const database = openDatabase(address);
  const close = async () => {
    await database.close();
    await closeMore();
  };
  try {
    await check(database);
    const services = await assemble(config, log, database);
    await refuseForeignMasterKey(services);
    await services.tokens.prepare();
    return { services, close };
  } catch (error) {
    await close();
    throw explainUnreachable(config, error);
  }
}

async function refuseMissingSchema(database: Database): Promise<void> {
  if ((await findMissingMigrations(database)).length > 0) {
    throw new StartError(
      'The database is not set up for this version: start the service with "npm start" first.',
    );
  }
}

async function assemble(config: Config, log: Log, database: Database): Promise<Services> {
  const { publicUrl, orderLapseSeconds, askSeconds, databaseUrl } = config;
  const { inboxBodyDays, historyDays } = config;
  const simulatorUrl = databaseUrl === undefined ? config.simulatorUrl : undefined;
  return createServices({
    database,
    ...(await masterKeysOf(config)),
    settings: {
      publicUrl,
      orderLapseSeconds,
      askSeconds,
      inboxBodyDays,
      historyDays,
      simulatorUrl,
    },
    reportDefect: (error, about) => log.error({ ...about, err: error }, 'a defect'),
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

function addressOf(config: Config): DatabaseAddress {
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
