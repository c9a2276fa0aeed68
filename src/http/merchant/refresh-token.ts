/** `POST /api/v3/refresh-token`: exchanges a refresh token for a new order token. Contract 2.4. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { microsecondTimestamp } from '../../domain/time.ts';
import { errorReplies } from '../error-reply.ts';
import type { HttpContext } from '../http-context.ts';

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
    token: Type.String({ description: 'A new order token; valid for 20 minutes.' }),
    token_expiration: Type.String({
      description: 'Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff.',
    }),
    expires_at: Type.String({ description: 'The same time in RFC 3339.' }),
  },
  { title: 'OrderToken', description: 'An order token and its expiry.' },
);

export function addRefreshToken(app: FastifyInstance, { useCases }: HttpContext): void {
  app.post<{ Body: Static<typeof Body>; Reply: Static<typeof Reply> }>('/refresh-token', {
    config: {
      access: 'anyone',
      documentation: {
        replyDescription: 'A new order token.',
        errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED'],
        examples: new URL('./examples/refresh-token.json', import.meta.url),
      },
    },
    bodyLimit: limits.publicBodyBytesMax,
    schema: {
      operationId: 'refreshToken',
      summary: 'Exchange a refresh token for a new order token',
      description:
        'Works while the refresh token lives and the order is open; afterwards a new order is needed. It needs no other token.',
      tags: ['Tokens'],
      body: Body,
      response: { 200: Reply, ...errorReplies },
    },
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
