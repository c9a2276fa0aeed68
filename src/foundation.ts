/** What must stand before anything is served: the data folder, the database, its schema, the keys. */
import type { Config } from './config.ts';
import { StartError } from './domain/start-error.ts';
import type { Log } from './log.ts';
import {
  type Database,
  type DatabaseAddress,
  isUnavailable,
  openDatabase,
} from './store/database.ts';
import { lockDataFolder, readOrCreateMasterKey } from './store/embedded/data-folder.ts';
import {
  embeddedAddress,
  isEmbeddedDatabaseRunning,
  startEmbeddedDatabase,
} from './store/embedded/embedded-database.ts';
import { migrate } from './store/migrate.ts';
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
    return prepare(config, { connectionString: config.databaseUrl }, async () => {});
  }
  const lock = await lockDataFolder(config.dataDir);
  try {
    const embedded = await startEmbeddedDatabase(config.dataDir, {
      warn: (line) => log.warn({ line }, 'embedded database'),
    });
    return await prepare(config, embedded.address, async () => {
      await embedded.stop();
      lock.release();
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** For workers and the command line: joins a database that another process looks after. */
export async function joinFoundation(config: Config): Promise<Foundation> {
  if (config.databaseUrl === undefined && !(await isEmbeddedDatabaseRunning(config.dataDir))) {
    throw new StartError(
      `The embedded database in ${config.dataDir} is not running: start the service with "npm start" first, or set DATABASE_URL.`,
    );
  }
  const database = openDatabase(addressOf(config));
  return { services: await assemble(config, database), close: () => database.close() };
}

async function prepare(
  config: Config,
  address: DatabaseAddress,
  closeMore: () => Promise<void>,
): Promise<Foundation> {
  const database = openDatabase(address);
  const close = async () => {
    await database.close();
    await closeMore();
  };
  try {
    await migrate(database);
    const services = await assemble(config, database);
    await refuseForeignMasterKey(services);
    return { services, close };
  } catch (error) {
    await close();
    throw explainUnreachable(config, error);
  }
}

async function assemble(config: Config, database: Database): Promise<Services> {
  const { publicUrl, orderLapseSeconds } = config;
  return createServices({
    database,
    masterKeyHex: config.masterKeyHex ?? (await readOrCreateMasterKey(config.dataDir)),
    settings: { publicUrl, orderLapseSeconds },
  });
}

/** Going on with another key would make every stored secret unreadable, one request at a time. */
async function refuseForeignMasterKey({ database, masterKey }: Services): Promise<void> {
  const keys = await listSigningKeys(database);
  if (keys.length > 0 && !keys.some((key) => key.masterKeyId === masterKey.id)) {
    throw new StartError(
      'MASTER_KEY is not the one this database was set up with: give the former one.',
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
  const isRefused = /^(28|3D)/.test(String((reason as { code?: unknown }).code));
  if (!isRefused && !isUnavailable(reason)) return error;
  const place = URL.canParse(config.databaseUrl) ? new URL(config.databaseUrl).host : 'its address';
  const why = reason instanceof AggregateError ? reason.errors[0] : reason;
  return new StartError(
    `The database of DATABASE_URL at ${place} cannot be used (${(why as Error).message}): check that it runs and that the URL is right.`,
  );
}
