/** Starts the service and the simulator with a temporary folder and free ports, and cleans up afterwards. */
import type { Client } from '../../client/client.js';
import type { Simulator, SimulatorOptions } from '../../simulator/simulator.ts';
import { createClosers } from '../harness/closers.ts';
import { runJsonCommand } from '../harness/command-line.ts';
import { findFreePort } from '../harness/free-port.ts';
import { startService } from '../harness/service.ts';
import { openSimulatedShop } from '../harness/simulated-shop.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';

export type Stage = {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly simulator: Simulator;
  readonly client: Client;
  /** Runs a command of the command line and returns its JSON output. */
  readonly cli: (...words: string[]) => Promise<Record<string, unknown>>;
  readonly close: () => Promise<void>;
};

export async function setStage(options: SimulatorOptions): Promise<Stage> {
  const closers = createClosers();
  try {
    const folder = await makeTemporaryFolder('payment-order-service-demo-');
    closers.add(folder.remove);
    const env = {
      PORT: String(await findFreePort()),
      DATA_DIR: folder.path,
      SIMULATOR_URL: `http://127.0.0.1:${await findFreePort()}`,
      // A lost webhook is recovered by polling, after a minute by default. That is too long for a demo.
      PROVIDER_POLL_SECONDS: '1',
      LOG_LEVEL: 'error',
    };
    const service = await startService(env, { showErrors: true, readySecondsMax: Infinity });
    closers.add(() => service.end('SIGTERM'));
    const shop = await openSimulatedShop(service.baseUrl, env, {
      name: 'Demo shop',
      paymentModes: ['credit_card:bank-gateway', 'debit_card:bank-gateway'],
      simulator: options,
    });
    closers.add(shop.close);
    return {
      baseUrl: service.baseUrl,
      accountId: String(shop.account.account_id),
      simulator: shop.simulator,
      client: shop.client,
      cli: (...words) => runJsonCommand(words, env),
      close: closers.closeAll,
    };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}
