/**
 * An account of a running service whose two providers are a simulator in this process, and a client that calls
 * the service as the merchant does. The service must have been started with the SIMULATOR_URL given here.
 */
import { createClient } from '../../client/client.js';
import { openServiceShops } from '../../simulator/service-shops.ts';
import type { FindShop } from '../../simulator/shops.ts';
import { type SimulatorOptions, startSimulator } from '../../simulator/simulator.ts';
import { runJsonCommand } from './command-line.ts';
import type { Environment } from './project.ts';

export type SimulatedShop = Awaited<ReturnType<typeof openSimulatedShop>>;

type ShopOptions = {
  readonly name: string;
  /** Each as the command line takes it, such as `credit_card:bank-gateway`. */
  readonly paymentModes: readonly string[];
  readonly simulator: SimulatorOptions;
  /** Wraps how the simulator looks up the shop of a call. */
  readonly wrapFindShop?: (find: FindShop) => FindShop;
};

export async function openSimulatedShop(
  baseUrl: string,
  env: Environment & { readonly SIMULATOR_URL: string },
  { name, paymentModes, simulator: options, wrapFindShop = (find) => find }: ShopOptions,
) {
  const shops = openServiceShops(env);
  const simulator = await startSimulator({
    ...options,
    port: Number(new URL(env.SIMULATOR_URL).port),
    findShop: wrapFindShop(shops.find),
  });
  const close = async () => {
    await simulator.close();
    // Its connections may be broken: the soak kills the database.
    await shops.close().catch(() => undefined);
  };
  try {
    const modes = paymentModes.flatMap((mode) => ['--payment-mode', mode]);
    const account = await runJsonCommand(['account', 'create', '--name', name, ...modes], env);
    const client = createClient({
      baseUrl,
      accessKey: String(account.access_key),
      accessSecret: String(account.access_secret),
    });
    return { account, client, simulator, close };
  } catch (error) {
    await close();
    throw error;
  }
}
