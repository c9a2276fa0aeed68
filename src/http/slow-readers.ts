/** Closes connections whose client does not read: its reply takes memory and a connection. Contract 8.2. */
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { throttle } from '../services/throttle.ts';
import { httpLimits } from './limits.ts';

export type SlowReaderLimits = {
  readonly writeStallMsMax?: number;
  readonly unreadRepliesMax?: number;
};

export function closeSlowReaders(
  app: FastifyInstance,
  {
    writeStallMsMax = httpLimits.writeStallMsMax,
    unreadRepliesMax = httpLimits.unreadRepliesMax,
  }: SlowReaderLimits = {},
): void {
  const unread = createReplyList();
  app.addHook('onSend', (_request, { raw }, payload, done) => {
    // An injected request has no connection.
    if (raw.socket instanceof Socket && !raw.destroyed) {
      raw.on('close', unread.add(raw));
      if (unread.count() > unreadRepliesMax) unread.oldest()?.destroy();
    }
    done(null, payload);
  });
  // Most replies are read at once: only the others get a timer.
  const guarding = setInterval(() => {
    // The platform restarts the time whenever the client has read some of the reply.
    unread.forEachNew(({ socket }) => socket?.setTimeout(writeStallMsMax));
  }, writeStallMsMax / checksPerStall).unref();
  app.addHook('onClose', () => clearInterval(guarding));
  // With this listener the platform closes no connection itself, idle ones included.
  app.server.on('timeout', (socket: Socket) => {
    const isProducing = socket.writableLength === 0 && unread.some((raw) => raw.socket === socket);
    // A long export that finds nothing for a while is not the fault of its reader.
    if (isProducing) socket.setTimeout(writeStallMsMax);
    else socket.destroy();
  });
}

/** How often unread replies are looked for, in the time that one of them may stall. */
const checksPerStall = 20;

type Entry = {
  readonly raw: ServerResponse;
  older: Entry | undefined;
  newer: Entry | undefined;
  isNew: boolean;
};

/**
 * Replies that are not written to their end, in the order in which they began. A linked list: the tables that a `Set`
 * has outgrown keep what they contained alive until a full collection, so with an entry for each request all requests
 * became old, and collecting them cost a third of their CPU (docs/performance.md).
 */
function createReplyList() {
  let oldest: Entry | undefined;
  let newest: Entry | undefined;
  let count = 0;
  const remove = (entry: Entry) => {
    const { older, newer } = entry;
    if (older) older.newer = newer;
    else oldest = newer;
    if (newer) newer.older = older;
    else newest = older;
    // An entry that is old itself must not keep younger ones alive.
    entry.older = undefined;
    entry.newer = undefined;
    count -= 1;
  };
  return {
    /** Returns what removes it again. Call that once; `close` is emitted once. */
    add: (raw: ServerResponse) => {
      const entry: Entry = { raw, older: newest, newer: undefined, isNew: true };
      if (newest) newest.newer = entry;
      else oldest = entry;
      newest = entry;
      count += 1;
      return () => remove(entry);
    },
    count: () => count,
    oldest: () => oldest?.raw,
    /** Those that were added since the last call, and are still unread. */
    forEachNew: (visit: (raw: ServerResponse) => void) => {
      for (let entry = newest; entry?.isNew; entry = entry.older) {
        entry.isNew = false;
        visit(entry.raw);
      }
    },
    some: (isWanted: (raw: ServerResponse) => boolean) => {
      for (let entry = oldest; entry; entry = entry.newer) if (isWanted(entry.raw)) return true;
      return false;
    },
  };
}

const logEveryMs = 60_000;

/** Idle ones included. Connections beyond the limit are closed as soon as they are accepted. */
export function limitConnections({ server, log }: FastifyInstance, connectionsMax: number): void {
  server.maxConnections = connectionsMax;
  const logDropped = throttle(logEveryMs, (_drop, dropped) => {
    log.warn({ dropped, connectionsMax }, 'too many connections: new ones are closed');
  });
  server.on('drop', logDropped);
}
