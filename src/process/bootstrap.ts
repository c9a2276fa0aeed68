/** Prepares everything a process needs before it serves: the data folder, the database, its schema and the keys. */
import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../domain/errors.ts';
import { StartError } from '../domain/start-error.ts';
import { lockDataFolder } from '../embedded-postgres/data-folder.ts';
import {
  embeddedAddress,
  isEmbeddedDatabaseRunning,
  startEmbeddedDatabase,
} from '../embedded-postgres/embedded-database.ts';
import { makeMasterKeyOnce, readMasterKeys } from '../embedded-postgres/master-key-file.ts';
import { writeServiceUrl } from '../embedded-postgres/service-url-file.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../postgres/database.ts';
import { shareConnections } from '../postgres/session-settings.ts';
import { allowedNetworksOf } from '../security/endpoint-address.ts';
import { sealingKeyIdOf } from '../security/master-key.ts';
import { networksOf } from '../security/networks.ts';
import type { Services } from '../services/services.ts';
import { throttle } from '../services/throttle.ts';
import { listSealedSamples } from '../store/accounts/account-secrets.ts';
import { listSigningKeys } from '../store/accounts/signing-keys.ts';
import { isSchemaComplete, migrate } from '../store/upkeep/migrate.ts';
import type { Config } from './config.ts';
import { createServices } from './create-services.ts';
import { type Log, logWarningsTo } from './log.ts';
import { chooseServiceUser, type ServiceUser } from './service-user.ts';
import { explainUnusable } from './unusable-database.ts';
import { prepareOrWait, type WaitSteps } from './wait-for-database.ts';

export type Bootstrapped = Awaited<ReturnType<typeof open>>;

type DatabaseToOpen = Pick<WaitSteps, 'waiting' | 'onWaiting'> & {
  readonly address: DatabaseAddress;
  /** The command line serves no requests, so all it does is maintenance. */
  readonly isCommandLine?: boolean;
  /** Resolves with the names of the migrations that it has applied. */
  readonly check: (database: Database) => Promise<readonly string[]>;
  readonly closeMore?: () => Promise<void>;
  readonly serviceUser?: ServiceUser;
};

/** For the process that owns the database. It waits for one elsewhere, or starts the embedded one; then it migrates. */
export async function bootstrap(config: Config, log: Log, waiting: AbortSignal) {
  const check = config.isMigrating ? migrate : refuseMissingSchema;
  if (config.databaseUrl !== undefined) {
    const address = { connectionString: config.databaseUrl };
    const serviceUser = await chooseServiceUser(config);
    return open(config, log, { address, check, waiting, onWaiting: logWaiting(log), serviceUser });
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
    return await open(config, log, { address: embedded.address, check, closeMore, serviceUser });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** For workers, `waiting` for their first process to migrate, and the command line, which may migrate itself. */
export async function joinBootstrapped(
  config: Config,
  log: Log,
  { waiting, isMigration }: { readonly waiting?: AbortSignal; readonly isMigration?: boolean } = {},
) {
  if (config.databaseUrl === undefined && !(await isEmbeddedDatabaseRunning(config.dataDir))) {
    throw new StartError(
      `The embedded database in ${config.dataDir} is not running: start the service with "npm start" first, or set DATABASE_URL.`,
    );
  }
  const checkAlone = isMigration ? migrate : refuseMissingSchema;
  const address =
    config.databaseUrl === undefined
      ? await embeddedAddress(config.dataDir)
      : { connectionString: config.databaseUrl };
  const check = waiting ? awaitSchema : checkAlone;
  return open(config, log, { address, check, waiting, isCommandLine: !waiting });
}

/** Opens the database, checks it, and makes sure that a signing key exists. */
async function open(config: Config, log: Log, toOpen: DatabaseToOpen) {
  const tracing = toOpen.isCommandLine ? undefined : await loadTracing(config, log);
  const onFallback = (reason: Error) =>
    log.warn(
      { err: reason },
      'the database driver cannot pipeline: statements are sent one by one',
    );
  const { address, isCommandLine } = toOpen;
  const shares = shareConnections(config.databaseConnectionsMax);
  const database = openDatabase(address, {
    onFallback,
    ...(isCommandLine ? { purpose: 'maintenance' } : { connectionsMax: shares.requests }),
  });
  const maintenance = isCommandLine
    ? database
    : openDatabase(address, { purpose: 'maintenance', connectionsMax: shares.maintenance });
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
    let migrated: readonly string[] = [];
    const prepare = async () => {
      migrated = await toOpen.check(database);
      await refuseForeignMasterKey(services);
      await services.tokens.prepare();
    };
    const explain = (error: unknown) => explainUnusable(config, error);
    return {
      services,
      /** Until the database is prepared, every call is answered 503. */
      databaseWait: await prepareOrWait({ prepare, explain, ...toOpen }),
      listMigrated: () => migrated,
      /** The user that the process becomes once it no longer needs root. */
      serviceUser: toOpen.serviceUser,
      tracing,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const maintenanceEndMs = 1_000;

/** Without an endpoint for traces, no module that exports them is loaded. Contract 1.11. */
async function loadTracing({ traceEndpoint, workers }: Config, log: Log) {
  if (traceEndpoint === undefined || process.env.OTEL_SDK_DISABLED === 'true') return undefined;
  // The first of several processes serves no requests.
  if (workers > 1 && cluster.isPrimary) return undefined;
  const { startTracing } = await import('../tracing/start-tracing.ts');
  return startTracing(process.env, (error) => {
    log.warn({ err: error }, 'traces could not be exported');
  });
}

async function refuseMissingSchema(database: Database): Promise<[]> {
  if (!(await isSchemaComplete(database))) {
    throw new StartError(
      'The database is not set up for this version: run "npm run cli -- migrate", or start the service with "npm start" and without MIGRATE=no.',
    );
  }
  return [];
}

async function awaitSchema(database: Database): Promise<[]> {
  if (await isSchemaComplete(database)) return [];
  throw new ServiceError('SERVICE_UNAVAILABLE');
}

async function assemble(
  config: Config,
  log: Log,
  parts: Pick<Parameters<typeof createServices>[0], 'database' | 'maintenance' | 'tracing'>,
): Promise<Services> {
  const { publicUrl, orderLapseSeconds, pollSeconds, inboxBodyDays, historyDays, eventDays } =
    config;
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
      trustedProxies: networksOf(config.trustedProxies),
      // The address of `npm run simulator`.
      simulatorUrl: config.simulatorUrl ?? 'http://127.0.0.1:8090',
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
