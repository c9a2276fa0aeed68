/**
 * `npm run cluster:patroni`: the service on a Patroni cluster, under load, while servers are switched, restarted, killed, frozen
 * and cut off. Prints a table, writes a JSON file, and exits with 1 if a promise was broken.
 */
import { readOptionsOrExit } from '../../../simulator/program-options.ts';
import { chooseFaults, chosen, commonOptions, listOf, runToEnd } from '../program.ts';
import { findPrograms, missingPrograms } from '../programs.ts';
import { faults } from './faults.ts';
import { patroniReport } from './report.ts';
import { runCluster } from './run.ts';

const faultNames = faults.map(({ name }) => name);
const values = readOptionsOrExit({
  call: 'npm run cluster:patroni',
  description: `Starts etcd, three Patroni nodes, HAProxy, and two services for each way to reach the database. Sends orders, webhooks and enquiries while faults happen one after the other, and checks that nothing that was answered 2xx is lost. The faults: ${faultNames.join(', ')}.`,
  options: {
    ways: {
      value: 'LIST',
      text: 'How services reach the database: haproxy, hosts or both (haproxy,hosts). Two services each.',
      findFault: listOf(['haproxy', 'hosts']),
    },
    ...commonOptions(faultNames, { rate: 5, seconds: 8, json: 'cluster-patroni.json' }),
  },
  examples: ['', '--faults switchover,restart --ways haproxy', '--rate 20 --seconds 30'],
});

const programs = await findPrograms();
if (!programs) {
  console.error(missingPrograms);
  process.exit(1);
}
await runToEnd(
  (closers, onProgress) =>
    runCluster({
      programs,
      faults: chooseFaults(values.faults, faults),
      ways: (['haproxy', 'hosts'] as const).filter((way) =>
        chosen(values.ways, ['haproxy', 'hosts']).includes(way),
      ),
      perSecond: Number(values.rate ?? 5),
      seconds: Number(values.seconds ?? 8),
      closers,
      logFolder: values.logs,
      onProgress,
    }),
  patroniReport,
  values.json ?? 'cluster-patroni.json',
);
