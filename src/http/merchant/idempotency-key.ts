/** The header `Idempotency-Key` of calls that move money. Contract 11.9. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { refuseField } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';

/** Only documents the header: it is validated below, where an error can name it as it is written. */
export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description:
        'Any value of 1 to 255 characters, such as a UUID. The same key and content within 24 hours returns the first reply again, with the header Idempotent-Replayed: true.',
    }),
  ),
});

const controlCharacter = /\p{Cc}/u;

export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const sent = headers['idempotency-key'];
  if (sent === undefined) return undefined;
  // Node decodes headers as Latin-1; clients send UTF-8.
  const key = Buffer.from(String(sent), 'latin1').toString('utf8');
  const { idempotencyKeyCharsMax: max } = limits;
  const count = [...key].length;
  if (count < 1 || count > max || controlCharacter.test(key)) {
    refuseField('Idempotency-Key', `must have 1 to ${max} characters and no control characters`);
  }
  return key;
}

export function markReplay(reply: FastifyReply, replayed: boolean): void {
  if (replayed) reply.header('idempotent-replayed', 'true');
}
