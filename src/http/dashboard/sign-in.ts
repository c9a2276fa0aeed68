/** Signing in, with a password or a passkey. Every way opens a new session. Contract 13.2. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import {
  confirmedUntil,
  isConfirmedAgain,
  type OwnAccount,
  type SignedIn,
} from '../../domain/users/session.ts';
import { newOpaqueToken } from '../../security/opaque-token.ts';
import type { Caller } from '../../use-cases/users/sessions.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, findSecret, keepSecret } from './dashboard-guard.ts';

const Password = Type.String({ minLength: 1, maxLength: limits.textCharsMax });
export const PasswordBody = Type.Object({ password: Password });
const SignInBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  password: Password,
});

const encoded = Type.String({ maxLength: limits.publicBodyBytesMax });
/** The JSON form of what `navigator.credentials` returns. The library checks every field that it reads. */
export const PasskeyBody = Type.Object({
  id: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  rawId: encoded,
  type: Type.String({ maxLength: 32 }),
  response: Type.Object({ clientDataJSON: encoded }),
});

export function addSignIn(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  addRoute(app, 'visitor', 'POST /sign-in', { body: SignInBody }, (request, reply) =>
    signIn(context, request, reply, (caller) => useCases.signInWithPassword(request.body, caller)),
  );

  addRoute(app, 'visitor', 'POST /sign-in/passkey/options', {}, () =>
    useCases.offerPasskeySignIn(),
  );

  const withPasskey = { body: PasskeyBody };
  addRoute(app, 'visitor', 'POST /sign-in/passkey/verify', withPasskey, (request, reply) =>
    signIn(context, request, reply, (caller) => useCases.signInWithPasskey(request.body, caller)),
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

  const withPassword = { body: PasswordBody };
  addRoute(app, 'visitor', `${post}/password`, withPassword, (request, reply) =>
    signIn(context, request, reply, (caller) =>
      useCases.acceptWithPassword(request.params.token, request.body.password, caller),
    ),
  );

  addRoute(app, 'visitor', `${post}/passkey/options`, {}, ({ params }) =>
    useCases.offerRegistration(params.token),
  );

  const withPasskey = { body: PasskeyBody };
  addRoute(app, 'visitor', `${post}/passkey/verify`, withPasskey, (request, reply) =>
    signIn(context, request, reply, (caller) =>
      useCases.acceptWithPasskey(request.params.token, request.body, caller),
    ),
  );

  addRoute(app, 'user', `${post}/join`, {}, async (request, reply) => {
    const { signedIn, params, visitor } = request;
    const secret = await useCases.joinAccount(signedIn, params.token, visitor);
    return begin(context, request, reply, secret);
  });
}

/** Opens a session by one of the ways to sign in. The device is known from then on. */
async function signIn(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  open: (caller: Caller) => Promise<string>,
) {
  const device = findSecret(context, request, 'device') ?? newOpaqueToken();
  const formerSecret = findSecret(context, request);
  const secret = await open({ ...request.visitor, formerSecret, device });
  return begin(context, request, reply, secret, device);
}

/** Sends the cookie of a session that was opened or renewed, after a sign-in that of the device, and what it may see. */
export async function begin(
  context: HttpContext,
  { visitor }: Pick<FastifyRequest, 'visitor'>,
  reply: FastifyReply,
  secret: string,
  device?: string,
) {
  keepSecret(context, reply, 'session', secret);
  if (device !== undefined) keepSecret(context, reply, 'device', device);
  const signedIn = await context.useCases.findSession(secret, visitor);
  if (!signedIn) throw new Error('the session ended as it began');
  return sessionView(signedIn);
}

export function sessionView({ session, user, accounts, account }: SignedIn) {
  return {
    user: {
      user_id: user.userId,
      email: user.email,
      has_password: user.hasPassword,
      has_passkey: user.hasPasskey,
    },
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

export function accountView({ accountId, name, role, isSuspended }: OwnAccount) {
  return { account_id: accountId, name, role, suspended: isSuspended };
}
