/** The header `Idempotency-Key` of calls that move money. Decision 11.9. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { refuseMember } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

/** Documented only: the value is read below, where a refusal names the header as it is written. */
export const IdempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      description:
        'Any value of 1 to 255 printable ASCII characters, such as a UUID. The same key and content within 24 hours answers the first answer again, with the header Idempotent-Replayed: true.',
    }),
  ),
});

const printableAscii = /^[ -~]+$/;

export function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const { idempotencyKeyCharsMax } = limits;
  if (typeof key !== 'string' || key.length > idempotencyKeyCharsMax || !printableAscii.test(key)) {
    refuseMember(
      'Idempotency-Key',
      `must have 1 to ${idempotencyKeyCharsMax} printable ASCII characters`,
    );
  }
  return key;
}

export function markReplay(reply: FastifyReply, replayed: boolean): void {
  if (replayed) reply.header('idempotent-replayed', 'true');
}
