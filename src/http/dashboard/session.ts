/** Signing in, which opens a new session; the session itself; and how the user signs in. Contract 13.2, 13.8. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { limits } from '../../domain/limits.ts';
import {
  confirmedUntil,
  isConfirmedAgain,
  type OwnAccount,
  type Session,
  type SignedIn,
} from '../../domain/users/session.ts';
import { newOpaqueToken } from '../../security/opaque-token.ts';
import type { Caller } from '../../use-cases/users/sessions.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, findSecret, keepSecret } from './dashboard-guard.ts';

const Text = Type.String({ minLength: 1, maxLength: limits.textCharsMax });
const withPassword = { body: Type.Object({ password: Text }) };
const withEmail = { body: Type.Object({ email: Text, password: Text }) };

const encoded = Type.String({ maxLength: limits.publicBodyBytesMax });
/** The JSON form of what `navigator.credentials` returns. The library checks every field that it reads. */
const withPasskey = {
  body: Type.Object(
    {
      id: Text,
      rawId: encoded,
      type: Type.String({ maxLength: 32 }),
      response: Type.Object({ clientDataJSON: encoded }),
    },
    { additionalProperties: true },
  ),
};

export function addSignIn(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  addRoute(app, 'visitor', 'POST /sign-in', withEmail, (request, reply) =>
    signIn(context, reply, (caller) => useCases.signInWithPassword(request.body, caller)),
  );

  addRoute(app, 'visitor', 'POST /sign-in/passkey/options', {}, () =>
    useCases.offerPasskeySignIn(),
  );

  addRoute(app, 'visitor', 'POST /sign-in/passkey/verify', withPasskey, (request, reply) =>
    signIn(context, reply, (caller) => useCases.signInWithPasskey(request.body, caller)),
  );
}

/** One-time links: what one is for, and the ways to use it. Looking at it is a POST, so that no preview does. */
export function addInvitation(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;
  const post = 'POST /invitation/:token';

  addRoute(app, 'visitor', post, {}, async ({ params }) => {
    const seen = await useCases.lookAtInvitation(params.token);
    return {
      email: seen.email,
      account_name: seen.account?.name ?? null,
      role: seen.account?.role ?? null,
      expires_at: seen.expiresAt.toISOString(),
    };
  });

  addRoute(app, 'visitor', `${post}/password`, withPassword, (request, reply) =>
    signIn(context, reply, (caller) =>
      useCases.acceptWithPassword(request.params.token, request.body.password, caller),
    ),
  );

  addRoute(app, 'visitor', `${post}/passkey/options`, {}, ({ params }) =>
    useCases.offerRegistration(params.token),
  );

  addRoute(app, 'visitor', `${post}/passkey/verify`, withPasskey, (request, reply) =>
    signIn(context, reply, (caller) =>
      useCases.acceptWithPasskey(request.params.token, request.body, caller),
    ),
  );

  addRoute(app, 'user', `${post}/join`, {}, async (request, reply) => {
    const { signedIn, params, visitor } = request;
    const secret = await useCases.joinAccount(signedIn, params.token, visitor);
    return begin(context, reply, secret);
  });
}

/** Opens a session by one of the ways to sign in. The device is known from then on. */
async function signIn(
  context: HttpContext,
  reply: FastifyReply,
  open: (caller: Caller) => Promise<string>,
) {
  const { request } = reply;
  const device = findSecret(context, request, 'device') ?? newOpaqueToken();
  const formerSecret = findSecret(context, request);
  const secret = await open({ ...request.visitor, formerSecret, device });
  return begin(context, reply, secret, device);
}

/** Sends the cookie of a session that was opened or renewed, after a sign-in that of the device, and what it may see. */
async function begin(context: HttpContext, reply: FastifyReply, secret: string, device?: string) {
  keepSecret(context, reply, 'session', secret);
  if (device !== undefined) keepSecret(context, reply, 'device', device);
  const signedIn = await context.useCases.findSession(secret, reply.request.visitor);
  if (!signedIn) throw new Error('the session ended as it began');
  return sessionView(signedIn);
}

const withAccount = {
  body: Type.Object({ account_id: Type.String({ maxLength: limits.textCharsMax }) }),
};

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

  addRoute(app, 'user', 'POST /account', withAccount, async ({ signedIn, body }) => {
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

  addRoute(app, 'user', 'DELETE /sessions/:session_id', {}, async (request) => {
    const { signedIn, params, visitor } = request;
    await useCases.endSession(signedIn, params.session_id, visitor);
  });
}

function addConfirmation(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  addRoute(app, 'user', 'POST /confirm', withPassword, async (request, reply) => {
    const { signedIn, body, visitor } = request;
    const secret = await useCases.confirmWithPassword(signedIn, body.password, visitor);
    return begin(context, reply, secret);
  });

  addRoute(app, 'user', 'POST /confirm/passkey/options', {}, ({ signedIn }) =>
    useCases.offerConfirmation(signedIn),
  );

  addRoute(app, 'user', 'POST /confirm/passkey/verify', withPasskey, async (request, reply) => {
    const secret = await useCases.confirmWithPasskey(request.signedIn, request.body);
    return begin(context, reply, secret);
  });
}

export function addCredentials(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'user', 'GET /credentials', {}, async ({ signedIn }) => {
    const passkeys = await useCases.listPasskeys(signedIn);
    return {
      has_password: signedIn.user.hasPassword,
      passkeys: passkeys.map(({ credentialId: passkeyId, transports, createdAt, lastUsedAt }) =>
        withSnakeCase({ passkeyId, transports, createdAt, lastUsedAt }),
      ),
    };
  });

  addRoute(app, 'user', 'POST /credentials/password', withPassword, async (request) => {
    const { signedIn, body, visitor } = request;
    useCases.requireConfirmationAgain(signedIn);
    return { ended_sessions: await useCases.changePassword(signedIn, body.password, visitor) };
  });

  addRoute(app, 'user', 'POST /credentials/passkey/options', {}, async ({ signedIn }) => {
    useCases.requireConfirmationAgain(signedIn);
    return useCases.offerPasskeyToAdd(signedIn);
  });

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

export function sessionView({ session, user, accounts, account }: SignedIn) {
  const { userId, email, hasPassword, hasPasskey } = user;
  return {
    user: withSnakeCase({ userId, email, hasPassword, hasPasskey }),
    accounts: accounts.map(accountView),
    account: account ? accountView(account) : null,
    session: {
      session_id: session.sessionId,
      created_at: session.createdAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
      confirmed_until: confirmedUntil(session).toISOString(),
      confirmed_again: isConfirmedAgain(session),
    },
  };
}

function accountView({ accountId, name, role, isSuspended }: OwnAccount) {
  return { account_id: accountId, name, role, suspended: isSuspended };
}

export function listedSessionView(session: Session, current: Session) {
  const { sessionId, createdAt, lastSeenAt, expiresAt, address, userAgent } = session;
  return {
    ...withSnakeCase({ sessionId, createdAt, lastSeenAt, expiresAt, address, userAgent }),
    current: sessionId === current.sessionId,
  };
}
