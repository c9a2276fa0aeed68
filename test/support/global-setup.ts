/** Starts one real PostgreSQL for the whole test run and migrates a template that each file clones. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/store/database.ts';
import {
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from '../../src/store/embedded/embedded-database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { clusterAddress, templateName } from './test-database.ts';

let dataDir: string;
let embedded: EmbeddedDatabase;

export async function globalSetup(): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), 'pos-test-'));
  embedded = await startEmbeddedDatabase(dataDir, { warn: console.error });
  process.env.TEST_DATABASE_ADDRESS = JSON.stringify(embedded.address);
  const cluster = openDatabase(clusterAddress());
  // Nothing here has to outlive the machine; what does is tried on servers of its own.
  for (const setting of ['fsync', 'full_page_writes']) {
    await cluster.query({ text: `alter system set ${setting} = off` });
  }
  await cluster.query({ text: 'select pg_reload_conf()' });
  await cluster.query({ text: `create database ${templateName}` });
  await cluster.close();
  const template = openDatabase({ ...clusterAddress(), database: templateName });
  await migrate(template);
  await template.close();
}

export async function globalTeardown(): Promise<void> {
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
}
