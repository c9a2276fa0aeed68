/** `npm run schema`: migrates an empty database and writes its schema to docs/schema.sql. */
import { writeFile } from 'node:fs/promises';
import { openDatabase } from '../../src/postgres/database.ts';
import { migrate } from '../../src/store/upkeep/migrate.ts';
import { dumpSchema } from './schema-dump.ts';
import { startTestCluster } from './test-cluster.ts';

const cluster = await startTestCluster();
const database = openDatabase(cluster.address);
try {
  await migrate(database);
  await writeFile(new URL('../../docs/schema.sql', import.meta.url), await dumpSchema(database));
} finally {
  await database.close();
  await cluster.stop();
}
