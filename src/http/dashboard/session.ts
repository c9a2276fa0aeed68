/** The session of the caller: what it shows, the user's other sessions, confirming, switching accounts, signing out. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { HttpContext } from '../http-context.ts';
import { getSignedIn, visitorOf } from './dashboard-guard.ts';
import { dropSecret, findSecret } from './session-cookie.ts';
import { accountView, listedSessionView, sessionView } from './session-view.ts';
import { begin, forVisitors, PasskeyBody, PasswordBody } from './sign-in.ts';

export const forUsers = {
  config: { dashboard: 'user' },
  bodyLimit: limits.publicBodyBytesMax,
  schema: { hide: true },
} as const;
const AccountBody = Type.Object({ account_id: Type.String({ maxLength: limits.textCharsMax }) });

export function addSession(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  app.get('/session', {
    ...forUsers,
    handler: async (request) => sessionView(getSignedIn(request)),
  });

  // The page asks this first. Browsers report an answer of 401 as an error, and being signed out is none.
  app.get('/visit', {
    ...forVisitors,
    schema: { hide: true },
    handler: async (request) => {
      const secret = findSecret(context, request);
      const signedIn = secret && (await useCases.findSession(secret, visitorOf(request)));
      return { visit: signedIn ? sessionView(signedIn) : null };
    },
  });

  app.post('/sign-out', {
    ...forUsers,
    handler: async (request, reply) => {
      const signedIn = getSignedIn(request);
      await useCases.endSession(signedIn, signedIn.session.sessionId, visitorOf(request));
      dropSecret(context, reply);
      return reply.code(204).send();
    },
  });

  app.post<{ Body: Static<typeof AccountBody> }>('/account', {
    ...forUsers,
    schema: { hide: true, body: AccountBody },
    handler: async (request) => {
      const account = await useCases.switchAccount(getSignedIn(request), request.body.account_id);
      return { account: account ? accountView(account) : null };
    },
  });

  addSessions(app, context);
  addConfirmation(app, context);
}

function addSessions(app: FastifyInstance, { useCases }: HttpContext): void {
  app.get('/sessions', {
    ...forUsers,
    handler: async (request) => {
      const signedIn = getSignedIn(request);
      const sessions = await useCases.listSessions(signedIn);
      return { sessions: sessions.map((one) => listedSessionView(one, signedIn.session)) };
    },
  });

  app.delete('/sessions', {
    ...forUsers,
    handler: async (request) => ({
      ended: await useCases.endOtherSessions(getSignedIn(request), visitorOf(request)),
    }),
  });

  app.delete<{ Params: { readonly session_id: string } }>('/sessions/:session_id', {
    ...forUsers,
    handler: async (request, reply) => {
      const { session_id: sessionId } = request.params;
      await useCases.endSession(getSignedIn(request), sessionId, visitorOf(request));
      return reply.code(204).send();
    },
  });
}

/** Asks again who the user is. The cookie changes. */
function addConfirmation(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  app.post<{ Body: Static<typeof PasswordBody> }>('/confirm', {
    ...forUsers,
    schema: { hide: true, body: PasswordBody },
    handler: async (request, reply) => {
      const { password } = request.body;
      const signedIn = getSignedIn(request);
      const visitor = visitorOf(request);
      const secret = await useCases.confirmWithPassword(signedIn, password, visitor);
      return begin(context, request, reply, secret);
    },
  });

  app.post('/confirm/passkey/options', {
    ...forUsers,
    handler: (request) => useCases.offerConfirmation(getSignedIn(request)),
  });

  app.post<{ Body: Static<typeof PasskeyBody> }>('/confirm/passkey/verify', {
    ...forUsers,
    schema: { hide: true, body: PasskeyBody },
    handler: async (request, reply) => {
      const secret = await useCases.confirmWithPasskey(getSignedIn(request), request.body);
      return begin(context, request, reply, secret);
    },
  });
}
