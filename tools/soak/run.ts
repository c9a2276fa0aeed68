/**
 * Load and kills together: creates and deliveries as fast as they are accepted, whole journeys with payments and
 * refunds at the simulator, and SIGKILL for the service, its database or both at seeded moments, while events flow to a
 * receiver that fails at random. At the end everything that was answered with 2xx must be stored exactly once, the shop
 * must have received all of it, and `verify` must find no violation.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { randomOf } from '../../simulator/random.ts';
import type { FindShop } from '../../simulator/shops.ts';
import { travelAll } from '../demo/chaos.ts';
import { type Journey, judgeAll, type ChaosStage as Stage } from '../demo/judge-chaos.ts';
import { runJsonCommand } from '../harness/command-line.ts';
import { findFreePort } from '../harness/free-port.ts';
import { openSimulatedShop, type SimulatedShop } from '../harness/simulated-shop.ts';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { startFlood } from './flood.ts';
import { judgeEvents } from './judge-events.ts';
import { type KillableService, startKillable, type Victim } from './killable-service.ts';
import { patientClient, untilAnswered } from './patience.ts';
import { type Receiver, startReceiver } from './receiver.ts';

type SoakOptions = {
  readonly seed: number;
  /** The run ends when either limit is reached. */
  readonly minutesMax: number;
  readonly killsMax: number;
  /** The number of journeys with payments and refunds per round. */
  readonly journeysPerRound: number;
  readonly onKill?: (progress: Progress) => void;
};

type LoadProgress = {
  readonly creates: number;
  readonly deliveries: number;
  readonly journeys: number;
  /** Events that the shop has accepted. */
  readonly events: number;
};

type KillProgress = {
  readonly kills: Readonly<Record<Victim, number>>;
  readonly slowestReturnMs: number;
};

export type Progress = LoadProgress & KillProgress;

export type SoakResult = Progress & {
  /** Empty if nothing was lost, duplicated or wrong. */
  readonly troubles: readonly string[];
  readonly verified: { readonly orders: number; readonly breaches: readonly unknown[] };
};

const concurrency = 8;
/** The longest time between two kills, if it returns fast. */
const aliveMs = 700;
const victims: readonly Victim[] = ['service', 'database', 'both'];

type SoakEnv = Awaited<ReturnType<typeof chooseEnv>>;

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const folder = await makeTemporaryFolder('payment-order-service-soak-');
  try {
    const env = await chooseEnv(folder.path);
    const service = await startKillable(env);
    try {
      return await soakService(service, env, options);
    } finally {
      await service.stop();
    }
  } finally {
    await folder.remove();
  }
}

async function chooseEnv(dataDir: string) {
  return {
    PORT: String(await findFreePort()),
    DATA_DIR: dataDir,
    SIMULATOR_URL: `http://127.0.0.1:${await findFreePort()}`,
    PROVIDER_POLL_SECONDS: '1',
    LOG_LEVEL: 'fatal',
  };
}

async function soakService(
  service: KillableService,
  env: SoakEnv,
  options: SoakOptions,
): Promise<SoakResult> {
  const receiver = await startReceiver(await findFreePort(), randomOf(options.seed, 'receiver'));
  const shop = await openSimulatedShop(service.baseUrl, env, {
    name: 'Soak shop',
    // Credit cards go to the bank gateway, all other modes to the partner.
    paymentModes: ['credit_card:bank-gateway'],
    simulator: { seed: options.seed, timeScale: 0.001 },
    wrapFindShop: rememberShops,
  });
  try {
    await addEndpoint(env, shop, receiver);
    const load = startLoad(service, shop, receiver, options);
    const kills = await killAtRandom(service, options, load.progress);
    const troubles = [
      ...(await load.stop()),
      ...(await judgeEvents({ client: shop.client, env }, receiver, load.orderIds())),
    ];
    const verified = (await runJsonCommand(['verify'], env)) as unknown as SoakResult['verified'];
    return { ...kills, ...load.progress(), troubles, verified };
  } finally {
    await shop.close();
    await receiver.close();
  }
}

async function addEndpoint(env: SoakEnv, { account }: SimulatedShop, receiver: Receiver) {
  const create = ['endpoint', 'create', String(account.account_id), '--url', receiver.url];
  const { secret } = await runJsonCommand(create, env);
  receiver.setSecret(String(secret));
}

/** Creates and deliveries, and whole journeys beside them. */
function startLoad(
  { baseUrl }: KillableService,
  { account, client, simulator }: SimulatedShop,
  receiver: Receiver,
  options: SoakOptions,
) {
  const patient = patientClient(client);
  const flood = startFlood(
    {
      baseUrl,
      client: patient,
      accountId: String(account.account_id),
      webhookSecret: String(account.partner_webhook_secret),
      name: `SOAK-${options.seed}`,
    },
    concurrency,
  );
  const journeys = startJourneys({ baseUrl, client: patient, simulator }, options);
  return {
    progress: (): LoadProgress => ({
      creates: flood.creates(),
      deliveries: flood.deliveries(),
      journeys: journeys.done(),
      events: receiver.events().length,
    }),
    orderIds: () => [...flood.orderIds(), ...journeys.orderIds()],
    /** Resolves with everything that was lost, duplicated or wrong. */
    stop: async () => {
      await flood.stop();
      const ofJourneys = await journeys.stop();
      return [...ofJourneys, ...(await flood.judge())];
    },
  };
}

async function killAtRandom(
  service: KillableService,
  { seed, minutesMax, killsMax, onKill }: SoakOptions,
  progressOf: () => LoadProgress,
): Promise<KillProgress> {
  const kills: Record<Victim, number> = { service: 0, database: 0, both: 0 };
  let slowestReturnMs = 0;
  let returnMs = 0;
  const random = randomOf(seed, 'kills');
  const endsAt = performance.now() + minutesMax * 60_000;
  for (let killed = 0; killed < killsMax && performance.now() < endsAt; killed += 1) {
    // On a slow machine it lives longer too, or it would only start and never work.
    await delay(random() * Math.max(aliveMs, 2 * returnMs));
    const victim = victims[Math.floor(random() * victims.length)] ?? 'service';
    returnMs = await service.kill(victim);
    slowestReturnMs = Math.max(slowestReturnMs, returnMs);
    kills[victim] += 1;
    onKill?.({ kills, slowestReturnMs, ...progressOf() });
  }
  return { kills, slowestReturnMs };
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
    orderIds: () => journeys.map(({ orderId }) => orderId),
    stop: async () => {
      isOver = true;
      await running;
      return (await judgeAll(stage, journeys)).troubles;
    },
  };
}
