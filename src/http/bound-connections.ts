/**
 * Bounds the connections of a process, idle ones too: each takes memory and a file descriptor. One beyond the bound is
 * closed as soon as it is made. Contract 8.2.
 */
import type { FastifyInstance } from 'fastify';
import { throttle } from '../services/throttle.ts';

const tellEveryMs = 60_000;

export function boundConnections({ server, log }: FastifyInstance, connectionsMax: number): void {
  server.maxConnections = connectionsMax;
  const tellDropped = throttle(tellEveryMs, (_drop, dropped) => {
    log.warn({ dropped, connectionsMax }, 'too many connections: the rest is closed at once');
  });
  server.on('drop', tellDropped);
}
