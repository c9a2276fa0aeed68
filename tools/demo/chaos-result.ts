/** What a chaos run works on and returns. */
import type { Client } from '../../client/client.js';
import type { Scenario } from '../../simulator/scenario.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { End } from './ends.ts';

export type ChaosStage = {
  readonly baseUrl: string;
  readonly client: Client;
  readonly simulator: Simulator;
};

/** The result of one order; the amount is in minor units. */
type Traveller = {
  readonly orderId: string;
  readonly scenario: Scenario['name'];
  readonly end: End;
  readonly status: string;
  readonly attempts: number;
  readonly refunded: number;
};

export type ChaosResult = {
  readonly travellers: readonly Traveller[];
  /** Empty if every order ended as expected. */
  readonly troubles: readonly string[];
  readonly seconds: number;
};

export type Journey = {
  readonly orderId: string;
  readonly scenario: Scenario;
  /** The expected end. */
  readonly end: End;
  readonly troubles: readonly string[];
};
