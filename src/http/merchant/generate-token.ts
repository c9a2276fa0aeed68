/** `POST /api/v3/generate-token`: exchanges credentials for a merchant token. Contract 2.1. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { HttpContext } from '../http-context.ts';
import { text } from '../open-api/fields.ts';
import { addOperation } from './operation.ts';

const credential = (description: string) =>
  Type.String({ minLength: 1, maxLength: limits.textCharsMax, description });
const Body = Type.Object(
  {
    access_key: credential('Access key of the account; begins with access_key_.'),
    access_secret: credential('Access secret of the account; begins with access_secret_.'),
  },
  { title: 'Credentials', description: 'The credentials of an account.' },
);
const Reply = Type.Object(
  {
    token: text('The bearer token for all other calls; valid for 20 minutes.'),
    expires_at: text('Expiry of token: UTC, RFC 3339.'),
  },
  { title: 'MerchantToken', description: 'A merchant token and its expiry.' },
);

export function addGenerateToken(app: FastifyInstance, { useCases }: HttpContext): void {
  addOperation(app, 'POST /generate-token', {
    operationId: 'generateToken',
    tag: 'Tokens',
    access: 'public',
    summary: 'Exchange an access key and secret for a merchant token',
    description:
      'The token makes all other calls of the account. Use it until it expires instead of getting one for each call. The body is always sent in plain JSON.',
    body: Body,
    bodyLimit: limits.publicBodyBytesMax,
    reply: Reply,
    replyDescription: 'A merchant token.',
    errors: ['AUTHENTICATION_FAILED', 'INVALID_TOKEN'],
    handler: async ({ body }) => {
      const { token, expiresAt } = await useCases.generateToken({
        accessKey: body.access_key,
        accessSecret: body.access_secret,
      });
      return { token, expires_at: expiresAt.toISOString() };
    },
  });
}
