/** `npm run simulator`: both providers on one address, for the accounts of the service on the same machine. */
import { isIP } from 'node:net';
import { isScenarioName, scenarioNames } from './behaviours.ts';
import { readOptionsOrExit, wholeNumber } from './program-options.ts';
import { openServiceShops } from './service-shops.ts';
import { isEndpointSecret } from './shop/check-event.ts';
import { startSimulator } from './simulator.ts';

const secretForm = 'one that endpoint create printed: whsec_ and base64';
const values = readOptionsOrExit({
  call: 'npm run simulator',
  description:
    'Plays both payment providers on one address, for the accounts of the service on this machine: their APIs, a payment page, and webhooks. Start it while "npm start" runs. Its page in a browser changes the scenario and shows what happened. It also plays a shop: its page /shop shows the events that the service sends to an endpoint with the URL /shop/events, and changes how they are answered.',
  options: {
    port: {
      value: 'N',
      text: 'The port to listen on; unless given, that of SIMULATOR_URL, or 8090.',
      findFault: wholeNumber(0, 65_535),
    },
    host: {
      value: 'ADDRESS',
      text: 'The address to listen on, 127.0.0.1 unless given. Whoever reaches it can pay and refund.',
      findFault: (address) => (isIP(address) > 0 ? undefined : 'must be an IP address'),
    },
    scenario: {
      value: 'NAME',
      text: `What happens to payments, happy unless given: ${[...scenarioNames(), 'chaos'].join(', ')}.`,
      findFault: (name) =>
        isScenarioName(name) ? undefined : 'must be one of the scenarios that --help lists',
    },
    reason: {
      value: 'CODE',
      text: 'Why payments are declined in the scenario decline: an error_reason of the partner or a code of the gateway.',
    },
    seed: {
      value: 'N',
      text: 'The seed of everything random, 1 unless given.',
      findFault: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    },
    'time-scale': {
      value: 'FACTOR',
      text: 'Multiplies the delays of the providers; 1 unless given, 0.01 is a hundred times faster.',
      findFault: (text) => (Number(text) > 0 ? undefined : 'must be a number above 0'),
    },
    'webhook-secret': {
      value: 'SECRET',
      text: 'The secret of the endpoint, with which the shop verifies events; unless given, WEBHOOK_SECRET. The page /shop takes it, too.',
      findFault: (secret) => (isEndpointSecret(secret) ? undefined : `must be ${secretForm}`),
    },
  },
  examples: ['', '--scenario decline --reason payment_declined', '--scenario chaos --seed 7'],
});
const { scenario: name = 'happy', reason } = values;
if (!isScenarioName(name)) throw new Error(`there is no scenario ${name}`);

const { 'webhook-secret': secret = process.env.WEBHOOK_SECRET } = values;
if (secret && !isEndpointSecret(secret)) {
  console.error(`WEBHOOK_SECRET must be ${secretForm}.`);
  process.exit(1);
}

const shops = openServiceShops(process.env);
const port = Number(values.port ?? usualPort(process.env.SIMULATOR_URL));
const { host = '127.0.0.1' } = values;
const simulator = await startSimulator({
  port,
  host,
  seed: Number(values.seed ?? 1),
  timeScale: Number(values['time-scale'] ?? 1),
  scenario: { name, ...(reason !== undefined && { reason }) },
  findShop: shops.find,
  log: (line) => console.log(line),
}).catch((error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error;
  console.error(
    `Port ${port} on ${host} is already in use: stop the other program, or choose a port with --port and in SIMULATOR_URL.`,
  );
  process.exit(1);
});
if (secret) await simulator.shop.trust(secret);
console.log(`Both providers are simulated on ${simulator.url} (scenario ${name}).
Open it in a browser to change the scenario and to see what happened.
A shop receives events at ${simulator.shop.url} and shows them at ${simulator.url}/shop.`);

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
