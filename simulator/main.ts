/**
 * `npm run simulator`: both providers on one address, for the accounts of the service on the same machine. Options:
 * `--port 8090 --scenario happy --reason R --seed 1 --time-scale 1`.
 */
import { parseArgs } from 'node:util';
import { isScenarioName } from './behaviours.ts';
import { openServiceShops } from './service-shops.ts';
import { startSimulator } from './simulator.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: usualPort(process.env.SIMULATOR_URL) },
    scenario: { type: 'string', default: 'happy' },
    reason: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'time-scale': { type: 'string', default: '1' },
  },
});
const { scenario: name, reason } = values;
if (!isScenarioName(name)) throw new Error(`there is no scenario ${name}`);

const shops = openServiceShops(process.env);
const simulator = await startSimulator({
  port: Number(values.port),
  seed: Number(values.seed),
  timeScale: Number(values['time-scale']),
  scenario: { name, ...(reason !== undefined && { reason }) },
  findShop: shops.find,
  log: (line) => console.log(line),
});
console.log(`Both providers are simulated on ${simulator.url} (scenario ${name}).
Open it in a browser to change the scenario and to see what happened.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await simulator.close();
    await shops.close();
    process.exit(0);
  });
}

/** Without `--port` it listens where the service looks for it. */
function usualPort(simulatorUrl: string | undefined): string {
  return (URL.canParse(simulatorUrl ?? '') && new URL(simulatorUrl ?? '').port) || '8090';
}
