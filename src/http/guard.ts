/** Authorises each call by its bearer token before any of the body is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/errors.ts';
import type { Caller } from '../security/tokens.ts';
import type { HttpContext } from './http-context.ts';

/** `order` also accepts the order's own token, `anyone` needs none but identifies a caller, `public` ignores it. */
export type Access = 'public' | 'anyone' | 'merchant' | 'order';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Null on public routes, and where a caller may do without a token. */
    foundCaller: Caller | null;
    readonly caller: Caller;
  }
}

export function addGuard(app: FastifyInstance, context: HttpContext): void {
  app.decorateRequest('foundCaller', null);
  app.decorateRequest('caller', {
    getter() {
      if (!this.foundCaller) throw new Error('the route is not guarded');
      return this.foundCaller;
    },
  });
  app.addHook('onRequest', (request, _reply, done) => {
    // A route that does not declare its access is open to merchants only.
    const access = request.routeOptions.config.access ?? 'merchant';
    if (access === 'public') done();
    else authorize(context, request, access).then(() => done(), done);
  });
}

async function authorize(
  context: HttpContext,
  request: FastifyRequest,
  access: Exclude<Access, 'public'>,
): Promise<void> {
  const isOptional = access === 'anyone';
  const token = findBearerToken(request);
  if (token === undefined) {
    if (isOptional) return;
    throw new ServiceError(
      'AUTHENTICATION_FAILED',
      'Send the header "Authorization: Bearer <token>" with a token from generate-token.',
    );
  }
  const authenticated = await authenticate(context, token, isOptional);
  if (!authenticated) return;
  const { caller } = authenticated;
  if (caller.type === 'refresh' && !isOptional) {
    throw new ServiceError(
      'INVALID_TOKEN',
      'This is a refresh token: exchange it at refresh-token and use the token you get.',
    );
  }
  if (access === 'merchant' && caller.type !== 'merchant') {
    throw new ServiceError('PERMISSION_DENIED');
  }
  context.countCall(authenticated);
  request.foundCaller = caller;
}

/** Undefined for a token that is not accepted where none is needed. */
function authenticate({ useCases }: HttpContext, token: string, isOptional: boolean) {
  const authenticated = useCases.authenticateCaller(token);
  if (!isOptional) return authenticated;
  return authenticated.catch((error: unknown) => {
    if (error instanceof ServiceError && error.entry.status === 401) return undefined;
    throw error;
  });
}

export function findBearerToken(request: FastifyRequest): string | undefined {
  const { authorization = '' } = request.headers;
  const scheme = /^Bearer +/i.exec(authorization)?.[0];
  const token = scheme && authorization.slice(scheme.length);
  return token && !token.includes(' ') ? token : undefined;
}
