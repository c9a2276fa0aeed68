/** `POST /api/v3/refresh-token`: exchanges a refresh token for a new order token. Contract 2.4. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { microsecondTimestamp } from '../../domain/time.ts';
import type { HttpContext } from '../http-context.ts';
import { text } from '../open-api/fields.ts';
import { addOperation } from './operation.ts';

const Body = Type.Object(
  {
    refresh_token: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'The refresh_token of create order.',
    }),
  },
  { title: 'RefreshRequest', description: 'The refresh token to exchange.' },
);
const Reply = Type.Object(
  {
    token: text('A new order token; valid for 20 minutes.'),
    token_expiration: text('Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff.'),
    expires_at: text('The same time in RFC 3339.'),
  },
  { title: 'OrderToken', description: 'An order token and its expiry.' },
);

export function addRefreshToken(app: FastifyInstance, { useCases }: HttpContext): void {
  addOperation(app, 'POST /refresh-token', {
    operationId: 'refreshToken',
    tag: 'Tokens',
    access: 'anyone',
    summary: 'Exchange a refresh token for a new order token',
    description:
      'Works while the refresh token lives and the order is open; afterwards a new order is needed. It needs no other token.',
    body: Body,
    bodyLimit: limits.publicBodyBytesMax,
    reply: Reply,
    replyDescription: 'A new order token.',
    errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED'],
    handler: async ({ body }) => {
      const { token, expiresAt } = await useCases.refreshToken(body.refresh_token);
      return {
        token,
        token_expiration: microsecondTimestamp(expiresAt),
        expires_at: expiresAt.toISOString(),
      };
    },
  });
}
