/**
 * Load and kills together: creates and deliveries as fast as they are accepted, whole journeys with payments and
 * refunds at the simulator, and SIGKILL for the service, its database or both at seeded moments. At the end everything
 * that was answered with 2xx must be stored exactly once, and `verify` must find no violation.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '../../client/client.js';
import { randomOf } from '../../simulator/random.ts';
import { openServiceShops } from '../../simulator/service-shops.ts';
import type { FindShop } from '../../simulator/shops.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import { type Journey, type ChaosStage as Stage, travelAll } from '../demo/chaos.ts';
import { judgeAll } from '../demo/judge-chaos.ts';
import { findFreePort } from '../harness/free-port.ts';
import { startFlood } from './flood.ts';
import { type KillableService, startKillable, type Victim } from './killable-service.ts';
import { patientClient, untilAnswered } from './patience.ts';

export type SoakOptions = {
  readonly seed: number;
  /** The run ends when either limit is reached. */
  readonly minutesMax: number;
  readonly killsMax: number;
  /** The number of journeys with payments and refunds per round. */
  readonly journeysPerRound: number;
  readonly onKill?: (told: Told) => void;
};

export type Told = {
  readonly kills: Readonly<Record<Victim, number>>;
  readonly creates: number;
  readonly deliveries: number;
  readonly journeys: number;
  readonly slowestReturnMs: number;
};

export type SoakResult = Told & {
  /** Empty if nothing was lost, duplicated or wrong. */
  readonly troubles: readonly string[];
  readonly verified: { readonly orders: number; readonly breaches: readonly unknown[] };
};

const atOnce = 8;
const victims: readonly Victim[] = ['service', 'database', 'both'];

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { seed, onKill } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-order-service-soak-'));
  const [port, simulatorPort] = [await findFreePort(), await findFreePort()];
  const service = await startKillable({
    PORT: String(port),
    DATA_DIR: dataDir,
    SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
  });
  const shops = openServiceShops(service.env);
  const simulator = await startSimulator({
    seed,
    timeScale: 0.001,
    port: simulatorPort,
    findShop: rememberShops(shops.find),
  });
  try {
    const account = await cli(service, 'account', 'create', '--name', 'Soak shop', ...modes);
    const client = patientClient(
      createClient({
        baseUrl: service.baseUrl,
        accessKey: String(account.access_key),
        accessSecret: String(account.access_secret),
      }),
    );
    const flood = startFlood(
      {
        baseUrl: service.baseUrl,
        client,
        accountId: String(account.account_id),
        webhookSecret: String(account.partner_webhook_secret),
        name: `SOAK-${seed}`,
      },
      atOnce,
    );
    const journeys = startJourneys({ client, simulator }, options);
    const tell = (): Told => ({
      kills,
      slowestReturnMs,
      creates: flood.creates(),
      deliveries: flood.deliveries(),
      journeys: journeys.done(),
    });
    const kills: Record<Victim, number> = { service: 0, database: 0, both: 0 };
    let slowestReturnMs = 0;
    const random = randomOf(seed, 'kills');
    const endsAt = performance.now() + options.minutesMax * 60_000;
    for (let killed = 0; killed < options.killsMax && performance.now() < endsAt; killed += 1) {
      await delay(random() * 700);
      const victim = victims[Math.floor(random() * victims.length)] ?? 'service';
      slowestReturnMs = Math.max(slowestReturnMs, await service.kill(victim));
      kills[victim] += 1;
      onKill?.(tell());
    }
    await flood.stop();
    const ofJourneys = await journeys.stop();
    const troubles = [...ofJourneys, ...(await flood.judge())];
    const verified = (await cli(service, 'verify')) as unknown as SoakResult['verified'];
    return { ...tell(), troubles, verified };
  } finally {
    await simulator.close();
    await shops.close().catch(() => undefined);
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Caches the shops, because a real provider knows them even while the service's database is down. */
function rememberShops(find: FindShop): FindShop {
  const known = new Map<string, ReturnType<FindShop>>();
  return (name) => {
    const found = known.get(name) ?? untilAnswered(() => find(name));
    known.set(name, found);
    return found;
  };
}

/** Credit cards go to the bank gateway, all other modes to the partner. */
const modes = ['--payment-mode', 'credit_card:bank-gateway'];

/** Runs rounds, each with its own seed, until it is stopped. The results are judged after the last kill. */
function startJourneys(stage: Stage, { seed, journeysPerRound, minutesMax }: SoakOptions) {
  const journeys: Journey[] = [];
  let isOver = false;
  const goOn = async () => {
    for (let round = 0; !isOver && journeysPerRound > 0; round += 1) {
      const patience = { answerMs: (minutesMax + 5) * 60_000, noPageMs: 5_000, attempts: 12 };
      const options = { seed: seed * 1000 + round, orders: journeysPerRound, patience };
      journeys.push(...(await travelAll(stage, options)));
    }
  };
  const running = goOn();
  running.catch(() => {});
  return {
    done: () => journeys.length,
    stop: async () => {
      isOver = true;
      await running;
      return (await judgeAll(stage, journeys, { mayLeaveUnpaid: true })).troubles;
    },
  };
}

async function cli(service: KillableService, ...words: readonly string[]) {
  const run = promisify(execFile)(process.execPath, ['src/cli/main.ts', ...words, '--json'], {
    cwd: new URL('../../', import.meta.url).pathname,
    env: service.env,
    maxBuffer: 64 * 1024 * 1024,
  });
  // `verify` exits with 1 if it finds a violation, but its output is still needed.
  const { stdout, stderr } = await run.catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  if (stdout === '') throw new Error(`${words.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
