/** What the lives of a filled shop act on. */
import type { Client } from '../../../client/client.js';
import type { Simulator } from '../../../simulator/simulator.ts';
import type { PastClock } from '../../harness/past-clock.ts';
import type { PastService } from '../../harness/past-service.ts';

/** A service in the past, with the providers on the same clock. */
export type Past = Omit<PastService, 'close'> & {
  readonly clock: PastClock;
  readonly simulator: Simulator;
};

export type FillStage = Past & {
  readonly accountId: string;
  readonly client: Client;
};
