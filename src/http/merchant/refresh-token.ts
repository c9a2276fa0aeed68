/** `POST /api/v3/refresh-token`: exchanges a refresh token for a new order token. Contract 2.4. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { microsecondTimestamp } from '../../domain/time.ts';
import type { Edge } from '../edge.ts';
import { errorReplies } from '../error-reply.ts';

const Body = Type.Object({ refresh_token: Type.String({ minLength: 1, maxLength: 4096 }) });
const Reply = Type.Object({
  token: Type.String({ description: 'A new order token; valid for 20 minutes.' }),
  token_expiration: Type.String({ description: 'UTC, YYYY-MM-DDTHH:MM:SS.ffffff' }),
  expires_at: Type.String({ description: 'The same time, RFC 3339' }),
});

export function addRefreshToken(app: FastifyInstance, { useCases }: Edge): void {
  app.post<{ Body: Static<typeof Body>; Reply: Static<typeof Reply> }>('/refresh-token', {
    config: { access: 'anyone' },
    bodyLimit: limits.publicBodyBytesMax,
    schema: {
      operationId: 'refreshToken',
      summary: 'Exchange a refresh token for a new order token',
      tags: ['Tokens'],
      security: [],
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
