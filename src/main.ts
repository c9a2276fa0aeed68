/** The process: configuration, database, application, listening, and a graceful end. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bootstrapped, bootstrap, joinBootstrapped } from './bootstrap.ts';
import { type Config, readConfig } from './config.ts';
import { limits } from './domain/limits.ts';
import { StartError } from './domain/start-error.ts';
import { firstStartText, readyText } from './first-start-message.ts';
import { explainListenError } from './listen-errors.ts';
import { createLog, type Log } from './log.ts';
import {
  becomeUser,
  chooseServiceUser,
  isPrivilegedPort,
  type ServiceUser,
} from './service-user.ts';
import { hasAccounts } from './store/accounts.ts';
import { createAccount, simulatorWarning } from './use-cases/accounts/create-account.ts';
import { renderSharedMetrics, reportReady, reportServing, startWorkers } from './workers.ts';

try {
  await main();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const life: Life = { config, log, closers: [], ending: new AbortController() };
  const starting = cluster.isWorker ? startWorker(life) : start(life);
  endOnSignal(life, starting);
  try {
    await starting;
  } catch (error) {
    // Whoever waited is called off by the signal, which goes on to end what was started.
    if (life.ending.signal.aborted) return;
    await closeAll(life.closers);
    throw error;
  }
}

type Closer = () => Promise<void>;

type Life = {
  readonly config: Config;
  readonly log: Log;
  /** Each part that was started leaves how it is closed. */
  readonly closers: Closer[];
  readonly ending: AbortController;
};

async function start({ config, log, closers, ending }: Life): Promise<void> {
  await refuseTakenPort(config);
  // The application is loaded while the database starts: both take their time.
  const application = import('./serve.ts');
  // What root compiles only root can keep, so the rest is loaded as well before root is left.
  const isAll = process.getuid?.() === 0 && config.workers === 1;
  const rest = isAll ? import('./background.ts') : undefined;
  const bootstrapped = await bootstrap(config, log, ending.signal);
  closers.push(bootstrapped.close);
  const { serve } = await application;
  await rest;
  const ready = [bootstrapped.preparation.done];
  const needsRoot = await isPrivilegedPort(config.port);
  if (!needsRoot) await becomeUser(bootstrapped.serviceUser, log);
  if (config.workers === 1) {
    closers.push(await serveWithBackground(config, bootstrapped, log, serve));
    if (needsRoot) await becomeUser(bootstrapped.serviceUser, log);
  } else {
    if (needsRoot) await becomeUser(rootForWorkers(bootstrapped.serviceUser, config.port), log);
    const workers = await startWorkers(config.workers, log, ending.signal);
    closers.push(workers.stop);
    ready.push(workers.ready);
  }
  await Promise.all(ready);
  // Only now: an account whose secrets nobody gets to see would be of no use.
  console.log(await firstStartMessage(config, bootstrapped, log));
}

type Serve = typeof import('./serve.ts').serve;

/** The background joins after the first request can be served; both end together. */
async function serveWithBackground(
  config: Config,
  bootstrapped: Bootstrapped,
  log: Log,
  serve: Serve,
  renderMetrics?: Parameters<Serve>[3],
): Promise<Closer> {
  const serving = await serve(config, bootstrapped, log, renderMetrics);
  const background = joinBackground(bootstrapped, log);
  return async () => {
    await Promise.all([serving.stop(), background.stop()]);
  };
}

/** Serving does not depend on it, so a failure to start it is tried again rather than fatal. */
function joinBackground(
  { services, preparation }: Bootstrapped,
  log: Log,
): { readonly stop: Closer } {
  const retryMs = 5_000;
  const ending = new AbortController();
  const started = (async () => {
    await preparation.done;
    for (;;) {
      try {
        const { startBackground } = await import('./background.ts');
        return await startBackground(services, log);
      } catch (error) {
        log.error({ err: error }, 'the background does not start and is tried again');
        await delay(retryMs, undefined, { signal: ending.signal });
      }
    }
  })().catch(() => undefined);
  return {
    stop: async () => {
      ending.abort();
      await (await started)?.stop();
    },
  };
}

async function startWorker({ config, log, closers, ending }: Life): Promise<void> {
  const { serve } = await import('./serve.ts');
  const bootstrapped = await joinBootstrapped(config, log, ending.signal);
  closers.push(bootstrapped.close);
  closers.push(await serveWithBackground(config, bootstrapped, log, serve, renderSharedMetrics));
  // It is root only where it had to be, to listen.
  const user = await chooseServiceUser(config);
  if (user?.ids) await becomeUser(user, log);
  reportServing();
  await bootstrapped.preparation.done;
  reportReady();
}

/** Who replaces a worker must be able to listen anew; the workers themselves do not stay root. */
function rootForWorkers(user: ServiceUser, port: number): ServiceUser {
  return user && { why: user.why ?? `only root may start workers on port ${port}` };
}

/** Better to say so at once than after a database was started. */
async function refuseTakenPort({ host, port }: Config): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host, port });
    await once(probe, 'listening');
  } catch (error) {
    throw explainListenError(error, host, port);
  } finally {
    probe.close();
  }
}

/** Contract 1.5: the very first start in the embedded mode brings an account to try things with. */
async function firstStartMessage(
  config: Config,
  { services }: Bootstrapped,
  log: Log,
): Promise<string> {
  const isFirst = config.databaseUrl === undefined && !(await hasAccounts(services.database));
  if (!isFirst) return readyText(config.publicUrl);
  const account = await createAccount(services, { name: 'Demo shop', isSimulated: true });
  log.warn(simulatorWarning(services));
  return firstStartText(config.publicUrl, account);
}

/** Contract 1.7. A signal during the start is heeded when all that was begun can be closed. */
function endOnSignal({ log, closers, ending }: Life, starting: Promise<void>): void {
  const end = async (signal: NodeJS.Signals) => {
    if (ending.signal.aborted) return;
    ending.abort();
    log.info({ signal }, 'ending');
    setTimeout(() => process.exit(1), limits.shutdownMsMax).unref();
    await starting.catch(() => {});
    try {
      await closeAll(closers);
      process.exit(0);
    } catch (error) {
      log.fatal({ err: error }, 'could not end in good order');
      process.exit(1);
    }
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

/** The last one first. */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}
