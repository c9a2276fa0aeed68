/**
 * The session of the caller: what it shows, the user's other sessions, confirming, switching accounts, signing out. And
 * how the user signs in, which belongs to the user and not to an account. Contract 13.8.
 */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Session } from '../../domain/users/session.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, findSecret, keepSecret } from './dashboard-guard.ts';
import { accountView, begin, PasskeyBody, PasswordBody, sessionView } from './sign-in.ts';

const AccountBody = Type.Object({ account_id: Type.String({ maxLength: limits.textCharsMax }) });

export function addSession(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  addRoute(app, 'user', 'GET /session', {}, async ({ signedIn }) => sessionView(signedIn));

  // The page asks this first. Browsers report an answer of 401 as an error, and being signed out is none.
  addRoute(app, 'visitor', 'GET /visit', {}, async (request) => {
    const secret = findSecret(context, request);
    const signedIn = secret && (await useCases.findSession(secret, request.visitor));
    return { visit: signedIn ? sessionView(signedIn) : null };
  });

  addRoute(app, 'user', 'POST /sign-out', {}, async ({ signedIn, visitor }, reply) => {
    await useCases.endSession(signedIn, signedIn.session.sessionId, visitor);
    keepSecret(context, reply, 'session', '', 0);
  });

  addRoute(app, 'user', 'POST /account', { body: AccountBody }, async ({ signedIn, body }) => {
    const account = await useCases.switchAccount(signedIn, body.account_id);
    return { account: account ? accountView(account) : null };
  });

  addSessions(app, context);
  addConfirmation(app, context);
}

function addSessions(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'user', 'GET /sessions', {}, async ({ signedIn }) => {
    const sessions = await useCases.listSessions(signedIn);
    return { sessions: sessions.map((one) => listedSessionView(one, signedIn.session)) };
  });

  addRoute(app, 'user', 'DELETE /sessions', {}, async ({ signedIn, visitor }) => ({
    ended: await useCases.endOtherSessions(signedIn, visitor),
  }));

  addRoute(
    app,
    'user',
    'DELETE /sessions/:session_id',
    {},
    async ({ signedIn, params, visitor }) => {
      await useCases.endSession(signedIn, params.session_id, visitor);
    },
  );
}

function addConfirmation(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  addRoute(app, 'user', 'POST /confirm', { body: PasswordBody }, async (request, reply) => {
    const { signedIn, body, visitor } = request;
    const secret = await useCases.confirmWithPassword(signedIn, body.password, visitor);
    return begin(context, request, reply, secret);
  });

  addRoute(app, 'user', 'POST /confirm/passkey/options', {}, ({ signedIn }) =>
    useCases.offerConfirmation(signedIn),
  );

  const withPasskey = { body: PasskeyBody };
  addRoute(app, 'user', 'POST /confirm/passkey/verify', withPasskey, async (request, reply) => {
    const secret = await useCases.confirmWithPasskey(request.signedIn, request.body);
    return begin(context, request, reply, secret);
  });
}

export function addCredentials(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'user', 'GET /credentials', {}, async ({ signedIn }) => {
    const passkeys = await useCases.listPasskeys(signedIn);
    return {
      has_password: signedIn.user.hasPassword,
      passkeys: passkeys.map((passkey) => ({
        passkey_id: passkey.credentialId,
        transports: passkey.transports,
        created_at: passkey.createdAt.toISOString(),
        last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
      })),
    };
  });

  const withPassword = { body: PasswordBody };
  addRoute(app, 'user', 'POST /credentials/password', withPassword, async (request) => {
    const { signedIn, body, visitor } = request;
    useCases.requireConfirmationAgain(signedIn);
    return { ended_sessions: await useCases.changePassword(signedIn, body.password, visitor) };
  });

  addRoute(app, 'user', 'POST /credentials/passkey/options', {}, async ({ signedIn }) => {
    useCases.requireConfirmationAgain(signedIn);
    return useCases.offerPasskeyToAdd(signedIn);
  });

  const withPasskey = { body: PasskeyBody };
  addRoute(app, 'user', 'POST /credentials/passkey/verify', withPasskey, async (request) => {
    const { signedIn, body, visitor } = request;
    useCases.requireConfirmationAgain(signedIn);
    await useCases.addPasskey(signedIn, body, visitor);
  });

  addRoute(app, 'user', 'DELETE /credentials/passkeys/:passkey_id', {}, async (request) => {
    const { signedIn, params, visitor } = request;
    useCases.requireConfirmationAgain(signedIn);
    await useCases.removePasskey(signedIn, params.passkey_id, visitor);
  });
}

export function listedSessionView(session: Session, current: Session) {
  return {
    session_id: session.sessionId,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    address: session.address,
    user_agent: session.userAgent,
    current: session.sessionId === current.sessionId,
  };
}
