/** Stops a server without failing a request, also behind a proxy that goes on sending until it notices: contract 1.7. */
import cluster from 'node:cluster';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

type DrainSteps = {
  /** From here on `/readyz` answers 503, so that proxies send requests elsewhere. */
  readonly announce: () => void;
  /** From here on each reply ends its connection. */
  readonly endConnections: () => void;
};

export async function drain(server: Server, { announce, endConnections }: DrainSteps) {
  const startedAt = performance.now();
  const noticedAt = startedAt + proxyNoticesMs;
  announce();
  await acceptUntilQuiet(server, noticedAt);
  // `close` of the HTTP server would also close idle connections immediately.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  // A client that gets `Connection: close` reconnects immediately. By then the other workers must have closed their
  // listening sockets too.
  if (cluster.isWorker) await delay(otherWorkersCloseMs);
  endConnections();
  // A request may be on its way on an idle connection.
  await within(closed, Math.max(noticedAt, performance.now() + idleMs));
  server.closeIdleConnections();
  await within(closed, startedAt + inFlightMsMax);
  server.closeAllConnections();
}

/** A proxy that asks `/readyz` every second, and again half a second after a failure, has removed the process by then. */
const proxyNoticesMs = 2_500;
/** A client without such a proxy has this time for a last request on each connection. */
const idleMs = 1_000;
const inFlightMsMax = 6_000;
const otherWorkersCloseMs = 100;

/**
 * Closing a listening socket resets connections that are established but not accepted yet, and a proxy must not repeat
 * their requests. So this resolves when no connection arrives any more, right after a turn of the event loop that looked
 * for one. It counts turns rather than time, because nothing arrives while the process itself is held up.
 */
async function acceptUntilQuiet(server: Server, deadline: number): Promise<void> {
  let quietTurns = 0;
  const note = () => {
    quietTurns = 0;
  };
  server.on('connection', note);
  while (quietTurns < quietTurnsMin && performance.now() < deadline) {
    await delay(turnMs);
    quietTurns += 1;
    await nextTurn();
  }
  server.off('connection', note);
}

const turnMs = 10;
/** A quarter of a second: a proxy on a busy machine pauses for some tens of milliseconds and then goes on. */
const quietTurnsMin = 25;

async function within(event: Promise<void>, time: number): Promise<void> {
  const waitMs = Math.max(0, time - performance.now());
  await Promise.race([event, delay(waitMs, undefined, { ref: false })]);
}
