/** The process: configuration, database, application, listening, and a graceful end. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, readConfig } from './config.ts';
import { limits } from './domain/limits.ts';
import { StartError } from './domain/start-error.ts';
import { type Foundation, joinFoundation, layFoundation } from './foundation.ts';
import { explainListenTrouble } from './listen-trouble.ts';
import { createLog, type Log } from './log.ts';
import { hasAccounts } from './store/accounts.ts';
import { createAccount } from './use-cases/create-account.ts';
import { firstStartText, readyText } from './welcome.ts';
import { renderSharedMetrics, reportReady, startWorkers } from './workers.ts';

try {
  await main();
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  if (cluster.isWorker) {
    await runWorker(config, log);
    return;
  }
  await refuseTakenPort(config);
  // The application is loaded while the database starts: both take their time.
  const application = import('./serve.ts');
  const foundation = await layFoundation(config, log);
  try {
    const { serve } = await application;
    const welcome = await welcomeText(config, foundation);
    const serving =
      config.workers === 1
        ? await serve(config, foundation.services, log)
        : await startWorkers(config.workers, log);
    endOnSignal(log, [serving.stop, foundation.close]);
    console.log(welcome);
  } catch (error) {
    await foundation.close();
    throw error;
  }
}

async function runWorker(config: Config, log: Log): Promise<void> {
  const { serve } = await import('./serve.ts');
  const foundation = await joinFoundation(config);
  const serving = await serve(config, foundation.services, log, renderSharedMetrics);
  endOnSignal(log, [serving.stop, foundation.close]);
  reportReady();
}

/** Better to say so at once than after a database was started. */
async function refuseTakenPort({ host, port }: Config): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host, port });
    await once(probe, 'listening');
  } catch (error) {
    throw explainListenTrouble(error, host, port);
  } finally {
    probe.close();
  }
}

/** Decision 1.5: the very first start in the embedded mode brings an account to try things with. */
async function welcomeText(config: Config, { services }: Foundation): Promise<string> {
  const isFirst = config.databaseUrl === undefined && !(await hasAccounts(services.database));
  if (!isFirst) return readyText(config.publicUrl);
  const account = await createAccount(services, { name: 'Demo shop' });
  return firstStartText(config.publicUrl, account);
}

/** Decision 1.7. Steps are taken in order; a second signal is not needed and changes nothing. */
function endOnSignal(log: Log, steps: ReadonlyArray<() => Promise<void>>): void {
  let ending = false;
  const end = async (signal: NodeJS.Signals) => {
    if (ending) return;
    ending = true;
    log.info({ signal }, 'ending');
    setTimeout(() => process.exit(1), limits.shutdownMsMax).unref();
    try {
      for (const step of steps) await step();
      process.exit(0);
    } catch (error) {
      log.fatal({ err: error }, 'could not end in good order');
      process.exit(1);
    }
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
