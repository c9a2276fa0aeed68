/** How the user signs in: their password and their passkeys. They belong to the user, not to an account. Contract 13.8. */
import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { HttpContext } from '../http-context.ts';
import { getSignedIn, visitorOf } from './dashboard-guard.ts';
import { forUsers } from './session.ts';
import { PasskeyBody, PasswordBody } from './sign-in.ts';

export function addCredentials(app: FastifyInstance, { useCases }: HttpContext): void {
  app.get('/credentials', {
    ...forUsers,
    handler: async (request) => {
      const signedIn = getSignedIn(request);
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
    },
  });

  app.post<{ Body: Static<typeof PasswordBody> }>('/credentials/password', {
    ...forUsers,
    schema: { hide: true, body: PasswordBody },
    handler: async (request) => {
      const signedIn = getSignedIn(request);
      useCases.requireConfirmationAgain(signedIn);
      const { password } = request.body;
      const ended = await useCases.changePassword(signedIn, password, visitorOf(request));
      return { ended_sessions: ended };
    },
  });

  app.post('/credentials/passkey/options', {
    ...forUsers,
    handler: async (request) => {
      const signedIn = getSignedIn(request);
      useCases.requireConfirmationAgain(signedIn);
      return useCases.offerPasskeyToAdd(signedIn);
    },
  });

  app.post<{ Body: Static<typeof PasskeyBody> }>('/credentials/passkey/verify', {
    ...forUsers,
    schema: { hide: true, body: PasskeyBody },
    handler: async (request, reply) => {
      const signedIn = getSignedIn(request);
      useCases.requireConfirmationAgain(signedIn);
      await useCases.addPasskey(signedIn, request.body, visitorOf(request));
      return reply.code(204).send();
    },
  });

  app.delete<{ Params: { readonly passkey_id: string } }>('/credentials/passkeys/:passkey_id', {
    ...forUsers,
    handler: async (request, reply) => {
      const signedIn = getSignedIn(request);
      useCases.requireConfirmationAgain(signedIn);
      await useCases.removePasskey(signedIn, request.params.passkey_id, visitorOf(request));
      return reply.code(204).send();
    },
  });
}
