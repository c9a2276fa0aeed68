/** Tells the sender of events in this process that some were stored, so that it need not wait for its next round. */
import type { EndpointKey } from '../store/accounts/endpoints.ts';

type StartDeliveries = (endpoints: readonly EndpointKey[]) => void;

export type EventSignal = {
  readonly startDeliveries: StartDeliveries;
  /** One listener: the sender. Without one, as in a command, another process finds the events. */
  readonly listen: (startDeliveries: StartDeliveries) => void;
};

export function createEventSignal(): EventSignal {
  let listener: StartDeliveries = () => {};
  return {
    startDeliveries: (endpoints) => listener(endpoints),
    listen: (startDeliveries) => {
      listener = startDeliveries;
    },
  };
}
