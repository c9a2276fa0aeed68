/**
 * Starts one PostgreSQL for the whole test run and migrates a template database, which each test file clones.
 * `TEST_DATABASE_ADDRESS` names another server instead, for example one of an older version.
 */
import { flushCompileCache } from 'node:module';
import { openDatabase } from '../../src/postgres/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { citusAddress } from '../../tools/harness/citus.ts';
import { isCitusRun, makeCitusTemplate } from './citus-cluster.ts';
import { startTestCluster, type TestCluster } from './test-cluster.ts';
import { clusterAddress, openCluster, templateName } from './test-database.ts';

/** Undefined while it starts: a run may be ended before. */
let server: TestCluster | undefined;

export async function globalSetup(): Promise<void> {
  await fillCompileCache();
  if (isCitusRun) {
    process.env.TEST_DATABASE_ADDRESS = JSON.stringify(citusAddress());
    const coordinator = openCluster();
    await makeCitusTemplate(coordinator, templateName);
    await coordinator.close();
    return;
  }
  if (process.env.TEST_DATABASE_ADDRESS === undefined) {
    server = await startTestCluster();
    process.env.TEST_DATABASE_ADDRESS = JSON.stringify(server.address);
  }
  const cluster = openCluster();
  // These databases need not survive a crash. Tests of durability start their own servers.
  for (const setting of ['fsync', 'full_page_writes']) {
    await cluster.query({ text: `alter system set ${setting} = off` });
  }
  await cluster.query({ text: 'select pg_reload_conf()' });
  await cluster.query({ text: `drop database if exists ${templateName}` });
  await cluster.query({ text: `create database ${templateName}` });
  await cluster.close();
  const template = openDatabase({ ...clusterAddress(), database: templateName });
  await migrate(template);
  await template.close();
}

/**
 * A process writes what it has compiled when it ends. In a fresh checkout the first test files run for a minute, and
 * every process that is started meanwhile would compile the application again.
 */
async function fillCompileCache(): Promise<void> {
  await Promise.all([
    import('../../src/serve.ts'),
    import('../../src/background.ts'),
    import('../../src/cli/run.ts'),
    import('./service-process.ts'),
    import('./journey.ts'),
  ]);
  flushCompileCache();
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
