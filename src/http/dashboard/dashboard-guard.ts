/**
 * Authorises each call of the dashboard before any of the body is read: by its origin, by its session, by the role that
 * the route declares, and by a confirmation for what only owners may change. Contract 13.2, 13.9.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { userLimits } from '../../domain/users/limits.ts';
import { includesRole, type Role } from '../../domain/users/role.ts';
import {
  actorOf,
  type OwnAccount,
  type SignedIn,
  type Visitor,
} from '../../domain/users/session.ts';
import { dashboardOrigins } from '../../domain/users/site.ts';
import { clientAddress } from '../client-address.ts';
import type { HttpContext } from '../http-context.ts';
import { findSecret } from './session-cookie.ts';

/**
 * Who may call a route: `visitor` is anybody, `user` anybody who is signed in. A role is needed in the current account,
 * and includes the roles below it.
 */
type DashboardAccess = 'visitor' | 'user' | Role;

declare module 'fastify' {
  interface FastifyContextConfig {
    dashboard?: DashboardAccess;
    /** The handler of an owner's change asks for the confirmation itself, because the body decides. */
    isConfirmedByHandler?: boolean;
  }
  interface FastifyRequest {
    signedIn: SignedIn | null;
    visitor: Visitor | null;
  }
}

export function addDashboardGuard(app: FastifyInstance, context: HttpContext): void {
  app.decorateRequest('signedIn', null);
  app.decorateRequest('visitor', null);
  app.addHook('onRoute', ({ config = {} }) => {
    config.bound ??= config.dashboard === 'visitor' ? 'visit' : 'call';
  });
  app.addHook('onRequest', async (request, reply) => {
    // A method that the path does not take: the route itself refuses it.
    if (request.routeOptions.config.access === 'public') return;
    const secret = findSecret(context, request);
    if (secret !== undefined) await context.holdSlot(request, reply, secret, 'session');
    await authorize(context, request, secret);
    const { signedIn } = request;
    if (!signedIn) return;
    // Before the body is read and a slot of all requests is taken: whoever waits here takes nothing from others.
    await context.holdSlot(request, reply, signedIn.account?.accountId ?? signedIn.user.userId);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    done(hasStorableParams(request) ? undefined : new ServiceError('NOT_FOUND'));
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
  const visitor = readVisitor(context, request);
  request.visitor = visitor;
  if (access === 'visitor') return context.countVisitor(visitor.address);
  const signedIn = secret && (await context.useCases.findSession(secret, visitor));
  if (!signedIn) {
    context.countVisitor(visitor.address);
    throw new ServiceError('AUTHENTICATION_FAILED', 'Sign in first, or again.');
  }
  request.signedIn = signedIn;
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

function checkRole(
  request: FastifyRequest,
  account: OwnAccount | undefined,
  needed: Role,
): asserts account is OwnAccount {
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

/**
 * A page says which account it shows. After a switch in another tab, a change that somebody means for that account must
 * not be made in this one.
 */
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

export function visitorOf({ visitor }: FastifyRequest): Visitor {
  if (!visitor) throw new Error('the route is not guarded');
  return visitor;
}

export function getSignedIn({ signedIn }: FastifyRequest): SignedIn {
  if (!signedIn) throw new Error('the route is not guarded');
  return signedIn;
}

/** The account of a route that needs a role. It comes from the session and never from the request. */
export function getAccount(request: FastifyRequest): OwnAccount {
  const { account } = getSignedIn(request);
  if (!account) throw new Error('the route declares no role');
  return account;
}

/** For the audit log. */
export function getActor(request: FastifyRequest): Actor {
  return actorOf(getSignedIn(request).user, visitorOf(request));
}
