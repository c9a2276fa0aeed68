/** The context that every step after the bank's approval needs. */
import type { Scenario } from '../scenario.ts';
import type { PartnerShop } from '../shops.ts';
import type { World } from '../world.ts';
import type { PartnerState } from './state.ts';

export type Approval = {
  readonly world: World;
  readonly state: PartnerState;
  readonly shop: PartnerShop;
  readonly scenario: Scenario;
};
