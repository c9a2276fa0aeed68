/** The session of the caller: what it shows, the user's other sessions, confirming, switching accounts, signing out. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Session } from '../../domain/users/session.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute } from './dashboard-guard.ts';
import { dropSecret, findSecret } from './session-cookie.ts';
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
    dropSecret(context, reply);
    return reply.code(204).send();
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

  addRoute(app, 'user', 'DELETE /sessions/:session_id', {}, async (request, reply) => {
    const { signedIn, params, visitor } = request;
    await useCases.endSession(signedIn, params.session_id, visitor);
    return reply.code(204).send();
  });
}

/** Asks again who the user is. The cookie changes. */
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
