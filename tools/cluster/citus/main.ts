/**
 * `npm run cluster:citus`: the service on a Citus cluster, under load, while workers and the coordinator are restarted,
 * killed and frozen. Prints a table, writes a JSON file, and exits with 1 if a promise was broken.
 */
import { readOptionsOrExit } from '../../../simulator/program-options.ts';
import { chooseFaults, commonOptions, runToEnd } from '../program.ts';
import { findCitusFolder, missingCitus } from '../programs.ts';
import { citusFaults } from './faults.ts';
import { citusReport } from './report.ts';
import { runCitus } from './run.ts';

const faultNames = citusFaults.map(({ name }) => name);
const usual = { rate: 3, seconds: 10, json: 'cluster-citus.json' };
const values = readOptionsOrExit({
  call: 'npm run cluster:citus',
  description: `Starts a coordinator and two workers of Citus, two services, and accounts on both workers. Sends orders, webhooks and enquiries of all accounts while faults happen one after the other, and checks that nothing that was answered 2xx is lost. The faults: ${faultNames.join(', ')}.`,
  options: commonOptions(faultNames, usual),
  examples: ['', '--faults kill-worker,freeze-worker', '--rate 20 --seconds 30'],
});

const postgresFolder = await findCitusFolder();
if (postgresFolder === undefined) {
  console.error(missingCitus);
  process.exit(1);
}
await runToEnd(
  (closers, onProgress) =>
    runCitus({
      postgresFolder,
      faults: chooseFaults(values.faults, citusFaults),
      perSecond: Number(values.rate ?? usual.rate),
      seconds: Number(values.seconds ?? usual.seconds),
      closers,
      logFolder: values.logs,
      onProgress,
    }),
  citusReport,
  values.json ?? usual.json,
);
