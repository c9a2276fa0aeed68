/**
 * Limits the open connections of a process, idle ones included: each takes memory and a file descriptor. Connections
 * beyond the limit are closed as soon as they are accepted. Contract 8.2.
 */
import type { FastifyInstance } from 'fastify';
import { throttle } from '../services/throttle.ts';

const logEveryMs = 60_000;

export function limitConnections({ server, log }: FastifyInstance, connectionsMax: number): void {
  server.maxConnections = connectionsMax;
  const logDropped = throttle(logEveryMs, (_drop, dropped) => {
    log.warn({ dropped, connectionsMax }, 'too many connections: new ones are closed');
  });
  server.on('drop', logDropped);
}
