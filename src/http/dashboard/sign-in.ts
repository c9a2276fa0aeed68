/** Signing in, with a password or a passkey. Every way opens a new session. Contract 13.2. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { newOpaqueToken } from '../../security/opaque-token.ts';
import type { Caller } from '../../use-cases/users/sign-in.ts';
import type { HttpContext } from '../http-context.ts';
import { getSignedIn, visitorOf } from './dashboard-guard.ts';
import { findSecret, keepDevice, keepSecret } from './session-cookie.ts';
import { sessionView } from './session-view.ts';

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

export const forVisitors = {
  config: { dashboard: 'visitor' },
  bodyLimit: limits.publicBodyBytesMax,
} as const;

export function addSignIn(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  app.post<{ Body: Static<typeof SignInBody> }>('/sign-in', {
    ...forVisitors,
    schema: { hide: true, body: SignInBody },
    handler: async (request, reply) => {
      const caller = callerOf(context, request);
      const secret = await useCases.signInWithPassword(request.body, caller);
      return begin(context, request, reply, secret, caller);
    },
  });

  app.post('/sign-in/passkey/options', {
    ...forVisitors,
    schema: { hide: true },
    handler: () => useCases.offerPasskeySignIn(),
  });

  app.post<{ Body: Static<typeof PasskeyBody> }>('/sign-in/passkey/verify', {
    ...forVisitors,
    schema: { hide: true, body: PasskeyBody },
    handler: async (request, reply) => {
      const caller = callerOf(context, request);
      const secret = await useCases.signInWithPasskey(request.body, caller);
      return begin(context, request, reply, secret, caller);
    },
  });
}

export function callerOf(context: HttpContext, request: FastifyRequest): Caller {
  const device = findSecret(context, request, 'device') ?? newOpaqueToken();
  return { ...visitorOf(request), formerSecret: findSecret(context, request), device };
}

/** Sends the cookie of a session that was opened or renewed, after a sign-in that of the device, and what it may see. */
export async function begin(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  caller?: Pick<Caller, 'device'>,
) {
  keepSecret(context, reply, secret);
  if (caller) keepDevice(context, reply, caller.device);
  const signedIn = await context.useCases.findSession(secret, visitorOf(request));
  request.signedIn = signedIn ?? null;
  return sessionView(getSignedIn(request));
}
