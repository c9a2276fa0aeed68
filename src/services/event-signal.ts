/** Tells the sender of events in this process that some were stored, so that it need not wait for its next round. */
import type { EndpointName } from '../store/accounts/endpoints.ts';

export type EventSignal = {
  readonly raise: (endpoints: readonly EndpointName[]) => void;
  /** One listener: the sender. Without one, as in a command, another process finds the events. */
  readonly listen: (listener: (endpoints: readonly EndpointName[]) => void) => void;
};

export function createEventSignal(): EventSignal {
  let notify: (endpoints: readonly EndpointName[]) => void = () => {};
  return {
    raise: (endpoints) => notify(endpoints),
    listen: (listener) => {
      notify = listener;
    },
  };
}
