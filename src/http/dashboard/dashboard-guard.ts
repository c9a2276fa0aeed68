/** Authorises each call before its body is read: by origin, session, role and confirmation. Contract 13.2, 13.9. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { userLimits } from '../../domain/users/limits.ts';
import { includesRole, type Role } from '../../domain/users/role.ts';
import {
  actorOf,
  type OwnAccount,
  type SignedIn,
  type Visitor,
} from '../../domain/users/session.ts';
import { dashboardOrigins } from '../../domain/users/site.ts';
import type { BoundName } from '../bounds.ts';
import { clientAddress } from '../client-address.ts';
import { hostCookieName, readCookie, setCookie } from '../cookies.ts';
import type { HttpContext } from '../http-context.ts';
import type { Query } from './read-query.ts';

/** `visitor` is anybody, `user` anybody signed in. A role in the current account includes the roles below it. */
type DashboardAccess = 'visitor' | 'user' | Role;

declare module 'fastify' {
  interface FastifyContextConfig {
    dashboard?: DashboardAccess;
    /** The handler of an owner's change asks for the confirmation itself, because the body decides. */
    isConfirmedByHandler?: boolean;
  }
  interface FastifyRequest {
    /** Null on routes for visitors. */
    foundSession: SignedIn | null;
    readonly visitor: Visitor;
    readonly signedIn: SignedIn;
    /** The account of a route that needs a role. It comes from the session and never from the request. */
    readonly account: OwnAccount;
    readonly actor: Actor;
  }
}

type RouteOptions<Body extends TSchema> = {
  readonly body?: Body;
  readonly bodyLimit?: number;
  readonly bound?: BoundName;
  readonly share?: number;
  readonly isConfirmedByHandler?: boolean;
};

/** The names after colons in a path. */
type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Request<Path extends string, Body extends TSchema> = FastifyRequest<{
  Params: Readonly<Record<ParamName<Path>, string>>;
  Querystring: Query;
  Body: Static<Body>;
}>;

export const search = { bound: 'search' } as const;

/**
 * Adds a route such as `GET /team`. A handler that returns nothing is answered 204. A body has the declared fields and no
 * other unless its schema says so: none may take the place of what the session says, such as the account.
 */
export function addRoute<Route extends string, Body extends TSchema>(
  app: FastifyInstance,
  access: DashboardAccess,
  route: Route,
  { body, bodyLimit = limits.publicBodyBytesMax, ...config }: RouteOptions<Body>,
  handler: (request: Request<Route, Body>, reply: FastifyReply) => unknown,
): void {
  const [method, url = ''] = route.split(' ');
  app.route({
    method: method as HTTPMethods,
    url,
    bodyLimit,
    config: { dashboard: access, bound: access === 'visitor' ? 'visit' : 'call', ...config },
    ...(body && { schema: { body: { additionalProperties: false, ...body } } }),
    handler: async (request, reply) =>
      (await handler(request as Request<Route, Body>, reply)) ?? reply.code(204).send(),
  });
}

export function addDashboardGuard(app: FastifyInstance, context: HttpContext): void {
  decorateRequests(app, context);
  app.addHook('onRequest', async (request, reply) => {
    // A method that the path does not take: the route itself refuses it.
    if (request.routeOptions.config.access === 'public') return;
    const secret = findSecret(context, request);
    if (secret !== undefined) await context.holdSlot(request, reply, secret, 'session');
    await authorize(context, request, secret);
    const { foundSession } = request;
    if (!foundSession) return;
    // Before the body is read and a slot of all requests is taken: whoever waits here takes nothing from others.
    const { account, user } = foundSession;
    await context.holdSlot(request, reply, account?.accountId ?? user.userId);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    done(hasStorableParams(request) ? undefined : new ServiceError('NOT_FOUND'));
  });
}

function decorateRequests(app: FastifyInstance, context: HttpContext): void {
  app.decorateRequest('foundSession', null);
  app.decorateRequest('visitor', {
    getter() {
      return readVisitor(context, this);
    },
  });
  app.decorateRequest('signedIn', {
    getter() {
      if (!this.foundSession) throw new Error('the route is not guarded');
      return this.foundSession;
    },
  });
  app.decorateRequest('account', {
    getter() {
      const { account } = this.signedIn;
      if (!account) throw new Error('the route declares no role');
      return account;
    },
  });
  app.decorateRequest('actor', {
    getter() {
      return actorOf(this.signedIn.user, this.visitor);
    },
  });
}

/** PostgreSQL fails for a text with NUL instead of finding nothing. */
function hasStorableParams({ params }: FastifyRequest): boolean {
  const texts = Object.values((params ?? {}) as Readonly<Record<string, string>>);
  return !texts.some((text) => text.includes('\0'));
}

async function authorize(
  context: HttpContext,
  request: FastifyRequest,
  secret: string | undefined,
): Promise<void> {
  const { config } = request.routeOptions;
  if (isChange(request)) refuseOtherSites(context, request);
  // A route that does not declare its access is open to owners only.
  const access = config.dashboard ?? 'owner';
  const { visitor } = request;
  if (access === 'visitor') return context.countVisitor(visitor.address);
  const signedIn = secret && (await context.useCases.findSession(secret, visitor));
  if (!signedIn) {
    context.countVisitor(visitor.address);
    throw new ServiceError('AUTHENTICATION_FAILED', 'Sign in first, or again.');
  }
  request.foundSession = signedIn;
  if (access !== 'user') checkRole(request, signedIn.account, access);
  if (access === 'owner' && isChange(request) && !config.isConfirmedByHandler) {
    context.useCases.requireConfirmation(signedIn);
  }
}

function isChange({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Browsers send the origin of the page with every change, and no page can forge it. */
function refuseOtherSites({ settings }: HttpContext, { headers }: FastifyRequest): void {
  const { origin } = headers;
  if (origin !== undefined && dashboardOrigins(settings.publicUrl).includes(origin)) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'The call does not come from a page of this service: open the dashboard at its PUBLIC_URL.',
  );
}

function checkRole(request: FastifyRequest, account: OwnAccount | undefined, needed: Role): void {
  if (!account) throw new ServiceError('PERMISSION_DENIED', 'You belong to no account.');
  if (!includesRole(account.role, needed)) {
    throw new ServiceError(
      'PERMISSION_DENIED',
      `This needs the role ${needed}, and you are ${account.role}: ask an owner of the account.`,
    );
  }
  refuseOtherAccount(request, account);
  // Whoever suspends an account wants nothing of it to change. Its people can still look at it.
  if (account.isSuspended && isChange(request)) throw new ServiceError('ACCOUNT_SUSPENDED');
}

/** After a switch in another tab, a change that was meant for the account of the page must not be made in this one. */
function refuseOtherAccount(request: FastifyRequest, { accountId, name }: OwnAccount): void {
  const shown = request.headers['x-shown-account'];
  if (!isChange(request) || shown === undefined || shown === accountId) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    `You work in ${name} now, and this page shows another account: reload it. Nothing was changed.`,
  );
}

function readVisitor({ settings }: HttpContext, { raw }: FastifyRequest): Visitor {
  const userAgent = (raw.headers['user-agent'] ?? '').slice(0, userLimits.userAgentCharsMax);
  return { address: clientAddress(raw, settings.trustedProxies), userAgent };
}

const secretSeconds = {
  session: userLimits.sessionSeconds,
  device: userLimits.knownVisitorSeconds,
};
type CookieName = keyof typeof secretSeconds;

/** The secret of a session, or that by which a device is known. */
export function findSecret(
  context: HttpContext,
  { headers }: FastifyRequest,
  name: CookieName = 'session',
): string | undefined {
  const secret = readCookie(headers.cookie, hostCookieName(context, name));
  return secret !== undefined && /^[\w-]{43}$/.test(secret) ? secret : undefined;
}

export function keepSecret(
  context: HttpContext,
  reply: FastifyReply,
  name: CookieName,
  secret: string,
  until = secretSeconds[name],
): void {
  setCookie(context, reply, hostCookieName(context, name), secret, { until, sameSite: 'Strict' });
}
