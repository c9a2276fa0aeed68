/**
 * The servers of an address, of which one takes writes. A connection goes to the server that worked last; one that
 * cannot be reached, or is a standby, makes the next connection go to the next one.
 */
import type { Server } from './address.ts';

export type Servers = ReturnType<typeof rotateServers>;

export function rotateServers(servers: readonly [Server, ...Server[]]) {
  let index = 0;
  const reasons = new WeakSet<object>();
  const assigned = new WeakMap<object, Server>();
  /** Where the next connection goes. */
  const current = () => servers[index] ?? servers[0];
  /** The pool wraps the error of a connection that took too long, so the cause is looked at too. */
  const isReason = (error: unknown) =>
    error instanceof Error &&
    (reasons.has(error) || (error.cause instanceof Error && reasons.has(error.cause)));
  return {
    current,
    assign: (client: object, server: Server) => void assigned.set(client, server),
    serverOf: (client: object) => assigned.get(client) ?? current(),
    /** Called when a connection could not be opened, or leads to a standby. */
    giveUp: (client: object, reason: unknown) => {
      if (reason instanceof Error) reasons.add(reason);
      // Connections that are opened together fail together, and move on together.
      if (assigned.get(client) === current()) index = (index + 1) % servers.length;
    },
    /** True for such a reason, if there are other servers: nothing was sent, so a retry is safe. */
    mayTryNext: (error: unknown) => servers.length > 1 && isReason(error),
  };
}
