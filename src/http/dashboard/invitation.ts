/** One-time links: what one is for, and the ways to use it. Looking at it is a POST, so that no preview does. */
import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { HttpContext } from '../http-context.ts';
import { getSignedIn, visitorOf } from './dashboard-guard.ts';
import { begin, callerOf, forVisitors, PasskeyBody, PasswordBody } from './sign-in.ts';

type Params = { readonly token: string };

export function addInvitation(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;
  const path = '/invitation/:token';

  app.post<{ Params: Params }>(path, {
    ...forVisitors,
    schema: { hide: true },
    handler: async ({ params }) => {
      const seen = await useCases.lookAtInvitation(params.token);
      return {
        email: seen.email,
        account_name: seen.account?.name ?? null,
        role: seen.account?.role ?? null,
        expires_at: seen.expiresAt.toISOString(),
      };
    },
  });

  app.post<{ Params: Params; Body: Static<typeof PasswordBody> }>(`${path}/password`, {
    ...forVisitors,
    schema: { hide: true, body: PasswordBody },
    handler: async (request, reply) => {
      const { params, body } = request;
      const caller = callerOf(context, request);
      const secret = await useCases.acceptWithPassword(params.token, body.password, caller);
      return begin(context, request, reply, secret, caller);
    },
  });

  app.post<{ Params: Params }>(`${path}/passkey/options`, {
    ...forVisitors,
    schema: { hide: true },
    handler: ({ params }) => useCases.offerRegistration(params.token),
  });

  app.post<{ Params: Params; Body: Static<typeof PasskeyBody> }>(`${path}/passkey/verify`, {
    ...forVisitors,
    schema: { hide: true, body: PasskeyBody },
    handler: async (request, reply) => {
      const { params, body } = request;
      const caller = callerOf(context, request);
      const secret = await useCases.acceptWithPasskey(params.token, body, caller);
      return begin(context, request, reply, secret, caller);
    },
  });

  app.post<{ Params: Params }>(`${path}/join`, {
    config: { dashboard: 'user' },
    bodyLimit: limits.publicBodyBytesMax,
    schema: { hide: true },
    handler: async (request, reply) => {
      const { token } = request.params;
      const signedIn = getSignedIn(request);
      const secret = await useCases.joinAccount(signedIn, token, visitorOf(request));
      return begin(context, request, reply, secret);
    },
  });
}
