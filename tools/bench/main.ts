/**
 * `npm run bench`: about three minutes. Measures the service and two floors in turn in one run, because machines differ
 * and are noisy: only the ratios are comparable. Prints a table, and writes `RESULTS.md` and `throughput.svg` next to
 * this file. `npm run bench -- --against COMMIT` compares this checkout with another commit instead.
 */

import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { embeddedAddress } from '../../src/embedded-postgres/embedded-database.ts';
import { benchAgainst } from './against.ts';
import { measureBesideHangingProvider } from './hanging-provider.ts';
import { measure, type Row } from './load.ts';
import { measureOneEndpoint } from './one-endpoint.ts';
import { plotOf } from './plot.ts';
import { connectionsOfRatios, measureRatios, measureWorkers } from './ratios.ts';
import { type Ratios, reportOf } from './report.ts';
import { openShop } from './shop.ts';
import { openStageDatabase, startFloor, startService, withDataDir } from './stage.ts';
import { type Stage, targetsOf } from './targets.ts';

const connectionCounts = [1, 16, 64, 256];
const seconds = 1;
const warmUpSeconds = 3;

const { against = [] } = parseArgs({
  options: { against: { type: 'string', multiple: true } },
}).values;
if (against.length > 0) await benchAgainst(against);
else await benchAgainstFloors();

async function benchAgainstFloors(): Promise<void> {
  await withDataDir(async (dataDir) => {
    const floor = await startFloor();
    const service = await startService(dataDir);
    const database = await openStageDatabase(dataDir);
    try {
      const shop = await openShop(service.url, dataDir);
      const stage = { floor, service, database, shop };
      await warmUp(stage);
      const ratios = await measureRatios(stage, await embeddedAddress(dataDir));
      const rows = await measureAll(stage);
      const hanging = await measureBesideHangingProvider(stage);
      const told = await measureOneEndpoint(stage);
      await service.stop();
      await report(rows, {
        ...ratios,
        hanging,
        told,
        workers: await measureWorkers(dataDir, floor),
      });
    } finally {
      await database.close();
      await floor.stop();
      await service.stop();
    }
  });
}

/** Code that has not been optimised yet is slow and does not represent a running service. */
async function warmUp(stage: Stage): Promise<void> {
  for (const { served, prepare } of targetsOf(stage)) {
    const options = { connections: connectionsOfRatios, seconds: warmUpSeconds };
    await measure(served, await prepare(warmUpSeconds), options);
  }
}

async function measureAll(stage: Stage): Promise<Row[]> {
  const rows: Row[] = [];
  for (const connections of connectionCounts) {
    for (const { what, served, prepare } of targetsOf(stage)) {
      const next = await prepare(seconds);
      rows.push({ what, connections, ...(await measure(served, next, { connections, seconds })) });
      process.stdout.write('.');
    }
  }
  console.log('');
  return rows;
}

async function report(rows: readonly Row[], ratios: Ratios): Promise<void> {
  const text = reportOf(rows, ratios, connectionsOfRatios);
  console.log(text);
  const folder = new URL('./', import.meta.url);
  await writeFile(new URL('RESULTS.md', folder), text);
  await writeFile(new URL('throughput.svg', folder), plotOf(rows));
}
