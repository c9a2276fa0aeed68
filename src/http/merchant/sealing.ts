/** Opens a sealed body before it is validated, and seals the reply to it with the same secret. Contract 7. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import { openPayload, sealPayload } from '../../security/sealed-payload.ts';
import type { HttpContext } from '../http-context.ts';
import { readJson } from '../read-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The access secret that opened the body; the reply is sealed with it. */
    sealingSecret: string | null;
  }
}

export function addSealing(app: FastifyInstance, context: HttpContext): void {
  app.decorateRequest('sealingSecret', null);
  app.addHook('preValidation', (request, _reply, done) => {
    const { encrypted_payload: sealed } = (request.body ?? {}) as { encrypted_payload?: unknown };
    if (typeof sealed !== 'string') return done();
    openBody(context, request, sealed).then(() => done(), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.sealingSecret === null || typeof payload !== 'string') return done(null, payload);
    reply.removeHeader('content-length');
    reply.type('application/json; charset=utf-8');
    const sealed = sealPayload(payload.trimEnd(), request.sealingSecret);
    done(null, `${JSON.stringify({ encrypted_response: sealed })}\n`);
  });
}

async function openBody(context: HttpContext, request: FastifyRequest, sealed: string) {
  const { foundCaller: caller } = request;
  // Without a token the account is unknown, and so is the secret that would open the body.
  if (!caller) {
    throw new ServiceError('INVALID_TOKEN', 'A sealed body needs the bearer token of its account.');
  }
  if (caller.type !== 'merchant') {
    throw new ServiceError(
      'PERMISSION_DENIED',
      'An order token may not send a sealed body: send the plain JSON body.',
    );
  }
  const { secret, opened } = await open(context, caller.accountId, sealed);
  if (request.headers.encryption !== 'ignore') request.sealingSecret = secret;
  request.body = readJson(opened);
}

/** During a rotation either live secret opens the body. */
async function open(context: HttpContext, accountId: string, sealed: string) {
  const { accounts } = context;
  const account = await accounts.get(accountId);
  if (!account.encryptedPayloads) throw new ServiceError('ENCRYPTION_NOT_ENABLED');
  const opened =
    tryToOpen(context, account, sealed) ??
    // The body may be sealed with a secret that is newer than the cached ones. Contract 2.7.
    tryToOpen(context, await accounts.readAgain(accountId), sealed);
  if (!opened) throw new ServiceError('DECRYPTION_FAILED');
  return opened;
}

function tryToOpen({ clock }: HttpContext, account: Account | undefined, sealed: string) {
  for (const secret of account ? liveSecrets(account, 'access-secret', clock()) : []) {
    const opened = openPayload(sealed, secret);
    if (opened) return { secret, opened };
  }
  return undefined;
}
