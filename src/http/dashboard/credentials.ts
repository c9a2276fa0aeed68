/** How the user signs in: their password and their passkeys. They belong to the user, not to an account. Contract 13.8. */
import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../http-context.ts';
import { addRoute } from './dashboard-guard.ts';
import { PasskeyBody, PasswordBody } from './sign-in.ts';

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
  addRoute(app, 'user', 'POST /credentials/passkey/verify', withPasskey, async (request, reply) => {
    const { signedIn, body, visitor } = request;
    useCases.requireConfirmationAgain(signedIn);
    await useCases.addPasskey(signedIn, body, visitor);
    return reply.code(204).send();
  });

  const passkey = 'DELETE /credentials/passkeys/:passkey_id';
  addRoute(app, 'user', passkey, {}, async ({ signedIn, params, visitor }, reply) => {
    useCases.requireConfirmationAgain(signedIn);
    await useCases.removePasskey(signedIn, params.passkey_id, visitor);
    return reply.code(204).send();
  });
}
