/** What applying deliveries came to. */
import type { DeliveryResult } from '../../domain/inbox/delivery.ts';

export type AppliedDelivery = {
  readonly result: DeliveryResult;
  /** Names that are known from now on; deliveries that wait for one of them can be applied. */
  readonly names: readonly string[];
  /** What a parked one waits for. */
  readonly waitsFor: readonly string[];
  /** As it may be stored: its order is erased. */
  readonly erasedBody?: Buffer;
};

export type Applied = {
  /** For each delivery what became of it, in their order; they are applied one after the other. */
  readonly applied: readonly AppliedDelivery[];
  /** Writes down what they changed; the caller writes the deliveries at the same time. */
  readonly save: () => Promise<void>;
};
