/** Starts the service and the simulator with a temporary folder and free ports, and cleans up afterwards. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Client, createClient } from '../../client/client.js';
import { openServiceShops } from '../../simulator/service-shops.ts';
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../simulator/simulator.ts';
import { findFreePort } from '../harness/free-port.ts';

const root = new URL('../../', import.meta.url).pathname;

export type Stage = {
  readonly baseUrl: string;
  readonly simulator: Simulator;
  readonly client: Client;
  /** Runs a command of the command line and returns its JSON output. */
  readonly cli: (...words: string[]) => Promise<Record<string, unknown>>;
  readonly close: () => Promise<void>;
};

export async function setStage(options: SimulatorOptions): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-order-service-demo-'));
  const [port, simulatorPort] = [await findFreePort(), await findFreePort()];
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    DATA_DIR: dataDir,
    SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
    // A lost webhook is recovered by polling, after a minute by default. That is too long for a demo.
    PROVIDER_ASK_SECONDS: '1',
    LOG_LEVEL: 'error',
  };
  const service = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(service, 'exit');
  const shops = openServiceShops(env);
  const baseUrl = `http://127.0.0.1:${port}`;
  const close = async (simulator?: Simulator) => {
    await simulator?.close();
    await shops.close();
    service.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await untilReady(baseUrl, exited);
    const cli: Stage['cli'] = async (...words) => {
      const arguments_ = ['src/cli/main.ts', ...words, '--json'];
      const run = promisify(execFile)(process.execPath, arguments_, { cwd: root, env });
      // `verify` exits with 1 if it finds a violation, but its output is still needed.
      const { stdout } = await run.catch((failed: { stdout: string }) => failed);
      return JSON.parse(stdout);
    };
    const account = await cli(
      ...['account', 'create', '--name', 'Demo shop'],
      ...[
        '--payment-mode',
        'credit_card:bank-gateway',
        '--payment-mode',
        'debit_card:bank-gateway',
      ],
    );
    const client = createClient({
      baseUrl,
      accessKey: String(account.access_key),
      accessSecret: String(account.access_secret),
    });
    const simulator = await startSimulator({
      ...options,
      port: simulatorPort,
      findShop: shops.find,
    });
    let closing: Promise<void> | undefined;
    return {
      baseUrl,
      simulator,
      client,
      cli,
      close: () => {
        closing ??= close(simulator);
        return closing;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function untilReady(baseUrl: string, exited: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  for (;;) {
    if (hasEnded) throw new Error('the service did not start');
    const ready = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    if (ready?.ok) return;
    await delay(50);
  }
}
