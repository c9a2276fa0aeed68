/**
 * Starts one PostgreSQL for the whole test run and migrates a template database, which each test file clones.
 * `TEST_DATABASE_ADDRESS` names another server instead, for example one of an older version.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/postgres/database.ts';
import { migrate } from '../../src/store/upkeep/migrate.ts';
import { citusAddress } from '../../tools/harness/citus.ts';
import type { TrustingServer } from '../../tools/harness/trusting-server.ts';
import { checkStatements } from './check-statements.ts';
import { isCitusRun, makeCitusTemplate } from './citus-cluster.ts';
import { folderVariable, wholeRunVariable } from './run-variables.ts';
import { startTestCluster } from './test-cluster.ts';
import { clusterAddress, openCluster, templateName } from './test-database.ts';

/** Undefined while it starts: a run may be ended before. */
let server: TrustingServer | undefined;

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
  process.env[folderVariable] = await mkdtemp(join(tmpdir(), 'pos-statements-'));
}

/**
 * A process writes what it has compiled when it ends. In a fresh checkout the first test files run for a minute, and
 * every process that is started meanwhile would compile the application again.
 */
async function fillCompileCache(): Promise<void> {
  await Promise.all([
    import('../../src/process/serve.ts'),
    import('../../src/process/background.ts'),
    import('../../src/cli/run.ts'),
    import('./service-process.ts'),
    import('./journey.ts'),
  ]);
  flushCompileCache();
}

export async function globalTeardown(): Promise<void> {
  const folder = process.env[folderVariable];
  if (folder !== undefined) await reportStatements(folder);
  await server?.stop();
}

/**
 * A teardown that throws is called again, and its error is not shown. So everything is printed, and the exit code says
 * that something was found.
 */
async function reportStatements(folder: string): Promise<void> {
  const address = { ...clusterAddress(), database: templateName };
  const isWholeRun = process.env[wholeRunVariable] !== undefined;
  try {
    const findings = await checkStatements(folder, address, { isWholeRun });
    for (const finding of findings) console.error(`\n✖ ${finding}`);
    if (findings.length > 0) process.exitCode = 1;
  } catch (error) {
    console.error('\n✖ the statements of this run could not be checked:', error);
    process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
