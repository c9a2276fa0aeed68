/** JSON replies end with a line break, so that a terminal shows each on lines of its own. */
import type { FastifyReply } from 'fastify';

export function endLine(reply: FastifyReply, payload: unknown): unknown {
  if (typeof payload !== 'string' || payload === '') return payload;
  const type = reply.getHeader('content-type');
  const isJson = typeof type === 'string' && type.startsWith('application/json');
  return isJson ? `${payload}\n` : payload;
}
