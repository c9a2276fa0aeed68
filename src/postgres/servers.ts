/**
 * The servers of an address, of which one takes writes. A connection goes to the server that worked last; one that
 * cannot be reached, or is a standby, makes the next connection go to the next one.
 */
import type { Server } from './address.ts';

export type Servers = {
  /** Where the next connection goes. */
  readonly current: () => Server;
  readonly assign: (client: object, server: Server) => void;
  readonly serverOf: (client: object) => Server;
  /** Called when a connection could not be opened, or leads to a standby. */
  readonly giveUp: (client: object, reason: unknown) => void;
  /** True for such a reason, if there are other servers: nothing was sent, so a retry is safe. */
  readonly mayTryNext: (error: unknown) => boolean;
};

export function rotateServers(servers: readonly [Server, ...Server[]]): Servers {
  let index = 0;
  const reasons = new WeakSet<object>();
  const assigned = new WeakMap<object, Server>();
  const current = () => servers[index] ?? servers[0];
  return {
    current,
    assign: (client, server) => void assigned.set(client, server),
    serverOf: (client) => assigned.get(client) ?? current(),
    giveUp: (client, reason) => {
      if (reason instanceof Error) reasons.add(reason);
      // Connections that are opened together fail together, and move on together.
      if (assigned.get(client) === current()) index = (index + 1) % servers.length;
    },
    mayTryNext: (error) => servers.length > 1 && (isReason(error) || isReason(causeOf(error))),
  };

  function isReason(error: unknown): boolean {
    return error instanceof Error && reasons.has(error);
  }
}

/** The pool wraps the error of a connection that took too long. */
function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
