/** `POST /api/v3/generate-token`: exchanges credentials for a merchant token. Contract 2.1. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Edge } from '../edge.ts';
import { errorReplies } from '../error-reply.ts';

const Body = Type.Object({
  access_key: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  access_secret: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
});
const Reply = Type.Object({
  token: Type.String({
    description: 'The bearer token for all other calls; valid for 20 minutes.',
  }),
  expires_at: Type.String({ description: 'UTC, RFC 3339' }),
});

export function addGenerateToken(app: FastifyInstance, { useCases }: Edge): void {
  app.post<{ Body: Static<typeof Body>; Reply: Static<typeof Reply> }>('/generate-token', {
    config: { access: 'public' },
    bodyLimit: limits.publicBodyBytesMax,
    schema: {
      operationId: 'generateToken',
      summary: 'Exchange an access key and secret for a merchant token',
      tags: ['Tokens'],
      security: [],
      body: Body,
      response: { 200: Reply, ...errorReplies },
    },
    handler: async ({ body }) => {
      const { token, expiresAt } = await useCases.generateToken({
        accessKey: body.access_key,
        accessSecret: body.access_secret,
      });
      return { token, expires_at: expiresAt.toISOString() };
    },
  });
}
