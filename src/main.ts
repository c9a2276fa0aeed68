/** The process: reads the configuration, prepares the database, listens, and shuts down gracefully. */
import cluster from 'node:cluster';
import { limits } from './domain/limits.ts';
import { StartError } from './domain/start-error.ts';
import { type Bootstrapped, bootstrap, joinBootstrapped } from './process/bootstrap.ts';
import { type Config, readConfig, secretsForWorkers, warnOfFormerNames } from './process/config.ts';
import { createLog, type Log } from './process/log.ts';
import { prepareBackground } from './process/prepare-background.ts';
import { refuseTakenPort } from './process/refuse-taken-port.ts';
import type { ServeOptions } from './process/serve.ts';
import { becomeUser, chooseServiceUser, isPrivilegedPort } from './process/service-user.ts';
import { startMessage } from './process/start-message.ts';
import { renderSharedMetrics, reportToFirst, startWorkers } from './process/workers.ts';

try {
  await main();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const processState: ProcessState = { config, log, closers: [], ending: new AbortController() };
  const starting = cluster.isWorker ? startWorker(processState) : start(processState);
  endOnSignal(processState, starting);
  try {
    await starting;
  } catch (error) {
    // A signal aborts the start, and its handler closes what was opened.
    if (processState.ending.signal.aborted) return;
    await closeAll(processState.closers);
    throw error;
  }
}

type Closer = () => Promise<void>;

type ProcessState = {
  readonly config: Config;
  readonly log: Log;
  /** Every part that was started adds how to close it. */
  readonly closers: Closer[];
  readonly ending: AbortController;
};

async function start({ config, log, closers, ending }: ProcessState): Promise<void> {
  for (const warning of warnOfFormerNames(process.env)) log.warn(warning);
  await refuseTakenPort(config);
  // Loads the application while the database starts: both take time.
  const application = import('./process/serve.ts');
  // The compile cache of root can be written by root only, so what every process needs is loaded before it
  // becomes another user.
  const loadsAll = process.getuid?.() === 0 && config.workers === 1;
  const background = loadsAll ? import('./process/background.ts') : undefined;
  const bootstrapped = await bootstrap(config, log, ending.signal);
  closers.push(bootstrapped.close);
  const { serve } = await application;
  await background;
  const ready = [bootstrapped.databaseWait.done];
  // Whoever waits for the service to be ready then reads the credentials.
  let isFirstAccountMissing = config.databaseUrl === undefined;
  const isAccountMissing = () => isFirstAccountMissing;
  const needsRoot = await isPrivilegedPort(config.port);
  if (!needsRoot) await becomeUser(bootstrapped.serviceUser, log);
  if (config.workers === 1) {
    closers.push(await serveWithBackground(config, bootstrapped, log, serve, { isAccountMissing }));
    if (needsRoot) await becomeUser(bootstrapped.serviceUser, log);
  } else {
    // The first process stays root, to replace workers; the workers themselves do not.
    const why = `only root may start workers on port ${config.port}`;
    if (needsRoot && bootstrapped.serviceUser) {
      await becomeUser({ why: bootstrapped.serviceUser.why ?? why }, log);
    }
    const secrets = secretsForWorkers(config);
    const workers = await startWorkers(config.workers, secrets, log, ending.signal);
    closers.push(workers.stop);
    ready.push(workers.ready);
  }
  await Promise.all(ready);
  // Last, because the demo account's secrets are shown once: a start that fails must not create it.
  const message = await startMessage(config, bootstrapped, log);
  isFirstAccountMissing = false;
  console.log(message);
}

type Serve = typeof import('./process/serve.ts').serve;
/** `isAccountMissing` is true until the credentials of a first start can be read. */
type ServedParts = Pick<ServeOptions, 'renderMetrics'> & { isAccountMissing?: () => boolean };

/** Background work starts after the server listens; both stop together. */
async function serveWithBackground(
  config: Config,
  bootstrapped: Bootstrapped,
  log: Log,
  serve: Serve,
  { isAccountMissing = () => false, renderMetrics }: ServedParts = {},
): Promise<Closer> {
  const background = prepareBackground(bootstrapped, log);
  const listMissing = () => [
    ...(background.isMissing() ? ['background'] : []),
    ...(isAccountMissing() ? ['the first account'] : []),
  ];
  const serving = await serve(config, bootstrapped, log, { listMissing, renderMetrics });
  background.start();
  return async () => {
    await Promise.all([serving.stop(), background.stop()]);
  };
}

async function startWorker({ config, log, closers, ending }: ProcessState): Promise<void> {
  const { serve } = await import('./process/serve.ts');
  const bootstrapped = await joinBootstrapped(config, log, { waiting: ending.signal });
  closers.push(bootstrapped.close);
  const metrics = { renderMetrics: renderSharedMetrics };
  closers.push(await serveWithBackground(config, bootstrapped, log, serve, metrics));
  // A worker is still root only if the port requires root to listen.
  const user = await chooseServiceUser(config);
  if (user?.ids) await becomeUser(user, log);
  reportToFirst('serving');
  await bootstrapped.databaseWait.done;
  reportToFirst('ready');
}

/** Contract 1.7. A signal during the start aborts it, and then closes everything that was opened. */
function endOnSignal({ log, closers, ending }: ProcessState, starting: Promise<void>): void {
  const end = async (signal: NodeJS.Signals) => {
    if (ending.signal.aborted) return;
    ending.abort();
    log.info({ signal }, 'shutting down');
    setTimeout(() => process.exit(1), limits.shutdownMsMax).unref();
    await starting.catch(() => {});
    try {
      await closeAll(closers);
      process.exit(0);
    } catch (error) {
      log.fatal({ err: error }, 'the shutdown failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

/** In reverse order. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}
