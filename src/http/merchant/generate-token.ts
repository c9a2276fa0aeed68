/** `POST /api/v3/generate-token`: exchanges credentials for a merchant token. Contract 2.1. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { errorReplies } from '../error-reply.ts';
import type { HttpContext } from '../http-context.ts';

const Body = Type.Object(
  {
    access_key: Type.String({
      minLength: 1,
      maxLength: limits.textCharsMax,
      description: 'Access key of the account; begins with access_key_.',
    }),
    access_secret: Type.String({
      minLength: 1,
      maxLength: limits.textCharsMax,
      description: 'Access secret of the account; begins with access_secret_.',
    }),
  },
  { title: 'Credentials', description: 'The credentials of an account.' },
);
const Reply = Type.Object(
  {
    token: Type.String({
      description: 'The bearer token for all other calls; valid for 20 minutes.',
    }),
    expires_at: Type.String({ description: 'Expiry of token: UTC, RFC 3339.' }),
  },
  { title: 'MerchantToken', description: 'A merchant token and its expiry.' },
);

export function addGenerateToken(app: FastifyInstance, { useCases }: HttpContext): void {
  app.post<{ Body: Static<typeof Body>; Reply: Static<typeof Reply> }>('/generate-token', {
    config: {
      access: 'public',
      documentation: {
        replyDescription: 'A merchant token.',
        errors: ['AUTHENTICATION_FAILED', 'INVALID_TOKEN'],
        examples: new URL('./examples/generate-token.json', import.meta.url),
      },
    },
    bodyLimit: limits.publicBodyBytesMax,
    schema: {
      operationId: 'generateToken',
      summary: 'Exchange an access key and secret for a merchant token',
      description:
        'The token makes all other calls of the account. Use it until it expires instead of getting one for each call. The body is always sent in plain JSON.',
      tags: ['Tokens'],
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
