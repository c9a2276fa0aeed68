/** Opens a service and both providers on one clock that starts in the past. */
import type { Client } from '../../../client/client.js';
import { findShopOf } from '../../../simulator/service-shops.ts';
import type { FindShop, Shop } from '../../../simulator/shops.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import type { Database } from '../../../src/postgres/database.ts';
import { createPastClock, type PastClock, speed } from '../../harness/past-clock.ts';
import { type PastService, startPastService } from '../../harness/past-service.ts';

/** A service in the past, with the providers on the same clock. */
export type Past = Omit<PastService, 'close'> & {
  readonly clock: PastClock;
  readonly simulator: Simulator;
};

/** What the lives of a filled shop act on. */
export type FillStage = Past & {
  readonly accountId: string;
  readonly client: Client;
};

type PastParts = {
  readonly database: Database;
  readonly masterKeyHex: string;
  readonly port: number;
  readonly simulatorPort: number;
  readonly seed: number;
  readonly startsAt: Date;
  /** Default: the real time. */
  readonly endsAt?: Date;
};

export type OpenPast = Past & {
  /** The service ends; the providers stay, and find their shops by this function from then on. */
  readonly endPast: (findShop: FindShop) => Promise<void>;
};

export async function openPast(parts: PastParts): Promise<OpenPast> {
  const { database, masterKeyHex, port, simulatorPort, seed, startsAt, endsAt } = parts;
  const clock = createPastClock(startsAt, endsAt);
  const service = await startPastService({
    database,
    masterKeyHex,
    port,
    clock,
    simulatorUrl: `http://127.0.0.1:${simulatorPort}`,
  });
  // The secrets do not change in the past, and a look at the database for each call would take long.
  const known = new Map<string, Shop>();
  let findShop: FindShop = async (name) => {
    const shop = known.get(name) ?? (await findShopOf(service.services, name));
    if (shop) known.set(name, shop);
    return shop;
  };
  const simulator = await startSimulator({
    seed,
    port: simulatorPort,
    timeScale: 1 / speed,
    now: () => clock.now().getTime(),
    findShop: (name) => findShop(name),
  });
  const { services, baseUrl, background } = service;
  return {
    services,
    baseUrl,
    background,
    clock,
    simulator,
    endPast: async (findLater) => {
      await service.close();
      findShop = findLater;
      clock.endPast();
    },
  };
}
