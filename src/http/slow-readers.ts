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
  /** Replies that are not written to their end, in the order in which they began. */
  const unread = new Set<ServerResponse>();
  const forget = function forget(this: ServerResponse) {
    unread.delete(this);
  };
  app.addHook('onSend', (_request, { raw }, payload, done) => {
    const { socket } = raw;
    // An injected request has no connection.
    if (socket instanceof Socket && !raw.destroyed) {
      unread.add(raw);
      raw.on('close', forget);
      // The platform restarts the time whenever the client has read some of it.
      socket.setTimeout(writeStallMsMax);
      if (unread.size > unreadRepliesMax) {
        const [oldest] = unread;
        oldest?.destroy();
      }
    }
    done(null, payload);
  });
  // With this listener the platform closes no connection itself, idle ones included.
  app.server.on('timeout', (socket: Socket) => {
    const isProducing =
      socket.writableLength === 0 && [...unread].some((raw) => raw.socket === socket);
    // A long export that finds nothing for a while is not the fault of its reader.
    if (isProducing) socket.setTimeout(writeStallMsMax);
    else socket.destroy();
  });
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
