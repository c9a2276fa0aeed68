/** `POST /api/v3/generate-token`, also under `/api/v2`, and `POST /api/v3/refresh-token`. Contract 2.1 and 2.4. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { microsecondTimestamp } from '../../domain/time.ts';
import type { HttpContext } from '../http-context.ts';
import { object, text } from '../open-api/fields.ts';
import { addOperation } from './operation.ts';

const credential = (description: string) =>
  Type.String({ minLength: 1, maxLength: limits.textCharsMax, description });
const Credentials = object('Credentials', 'The credentials of an account.', {
  access_key: credential('Access key of the account; begins with access_key_.'),
  access_secret: credential('Access secret of the account; begins with access_secret_.'),
});
const MerchantToken = object('MerchantToken', 'A merchant token and its expiry.', {
  token: text('The bearer token for all other calls; valid for 20 minutes.'),
  expires_at: text('Expiry of token: UTC, RFC 3339.'),
});

export function addGenerateToken(
  app: FastifyInstance,
  { useCases }: HttpContext,
  isAlias = false,
): void {
  addOperation(app, 'POST /generate-token', {
    isAlias,
    operationId: 'generateToken',
    tag: 'Tokens',
    access: 'public',
    summary: 'Exchange an access key and secret for a merchant token',
    description:
      'The token makes all other calls of the account. Use it until it expires instead of getting one for each call. The body is always sent in plain JSON.',
    body: Credentials,
    bodyLimit: limits.publicBodyBytesMax,
    reply: MerchantToken,
    replyDescription: 'A merchant token.',
    errors: ['AUTHENTICATION_FAILED', 'INVALID_TOKEN'],
    aliases: ['POST /api/v2/generate-token'],
    handler: async ({ body }) => {
      const { token, expiresAt } = await useCases.generateToken({
        accessKey: body.access_key,
        accessSecret: body.access_secret,
      });
      return { token, expires_at: expiresAt.toISOString() };
    },
  });
}

const RefreshRequest = object('RefreshRequest', 'The refresh token to exchange.', {
  refresh_token: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'The refresh_token of create order.',
  }),
});
const OrderToken = object('OrderToken', 'An order token and its expiry.', {
  token: text('A new order token; valid for 20 minutes.'),
  token_expiration: text('Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff.'),
  expires_at: text('The same time in RFC 3339.'),
});

export function addRefreshToken(app: FastifyInstance, { useCases }: HttpContext): void {
  addOperation(app, 'POST /refresh-token', {
    operationId: 'refreshToken',
    tag: 'Tokens',
    access: 'anyone',
    summary: 'Exchange a refresh token for a new order token',
    description:
      'Works while the refresh token lives and the order is open; afterwards a new order is needed. It needs no other token.',
    body: RefreshRequest,
    bodyLimit: limits.publicBodyBytesMax,
    reply: OrderToken,
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
