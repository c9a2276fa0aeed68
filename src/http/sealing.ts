/**
 * Encrypted payloads, for every call of the merchant scope in one place: the body is opened before it
 * is validated, and the reply to it, an error too, is sealed with the same secret. Decision 7.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { liveSecrets } from '../domain/account.ts';
import { ServiceError } from '../domain/errors.ts';
import { openPayload, sealPayload } from '../security/sealed-payload.ts';
import type { Services } from '../use-cases/services.ts';
import { readJson } from './read-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The access secret that opened the body; the reply is sealed with it. */
    sealingSecret: string | null;
  }
}

export function addSealing(app: FastifyInstance, services: Services): void {
  app.decorateRequest('sealingSecret', null);
  app.addHook('preValidation', (request, _reply, done) => {
    const { body } = request;
    const isSealed = typeof body === 'object' && body !== null && 'encrypted_payload' in body;
    if (!isSealed) return done();
    openBody(services, request).then(() => done(), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.sealingSecret === null || typeof payload !== 'string') return done(null, payload);
    reply.removeHeader('content-length');
    reply.type('application/json; charset=utf-8');
    done(null, JSON.stringify({ encrypted_response: sealPayload(payload, request.sealingSecret) }));
  });
}

async function openBody(services: Services, request: FastifyRequest): Promise<void> {
  const sealed = findSealedPayload(request);
  if (sealed === undefined) return;
  const { secret, opened } = await open(services, request, sealed);
  if (request.headers.encryption !== 'ignore') request.sealingSecret = secret;
  request.body = readJson(opened);
}

function findSealedPayload({ body, caller }: FastifyRequest): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { encrypted_payload: sealed } = body as { encrypted_payload?: unknown };
  if (typeof sealed !== 'string') return undefined;
  // Without a token there is no account, and so no secret to open it with.
  if (!caller) {
    throw new ServiceError('INVALID_TOKEN', 'A sealed body needs the bearer token of its account.');
  }
  return sealed;
}

/** During a rotation either live secret opens. */
async function open(services: Services, request: FastifyRequest, sealed: string) {
  const account = await services.accounts.get(request.caller?.accountId ?? '');
  if (!account.encryptedPayloads) throw new ServiceError('ENCRYPTION_NOT_ENABLED');
  for (const secret of liveSecrets(account, 'access-secret', services.clock())) {
    const opened = openPayload(sealed, secret);
    if (opened) return { secret, opened };
  }
  throw new ServiceError('DECRYPTION_FAILED');
}
