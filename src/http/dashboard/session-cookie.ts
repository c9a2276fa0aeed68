/** The cookies of the dashboard: that of a session, and that by which a device is known. Contract 13.2. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { userLimits } from '../../domain/users/limits.ts';
import { type HttpContext, isSecureSite } from '../http-context.ts';
import { readCookie, securePrefix } from '../read-cookies.ts';

type Site = Pick<HttpContext, 'settings'>;

type Name = 'session' | 'device';

export function findSecret(
  context: Site,
  { headers }: FastifyRequest,
  name: Name = 'session',
): string | undefined {
  const secret = readCookie(headers.cookie, nameOf(context, name));
  return secret !== undefined && /^[\w-]{43}$/.test(secret) ? secret : undefined;
}

export function keepSecret(context: Site, reply: FastifyReply, secret: string): void {
  setCookie(context, reply, 'session', secret, userLimits.sessionSeconds);
}

export function keepDevice(context: Site, reply: FastifyReply, device: string): void {
  setCookie(context, reply, 'device', device, userLimits.knownVisitorSeconds);
}

export function dropSecret(context: Site, reply: FastifyReply): void {
  setCookie(context, reply, 'session', '', 0);
}

/** Over plain http, which is used on loopback only, browsers accept neither the prefix nor `Secure`. */
function nameOf(context: Site, name: Name): string {
  return `${isSecureSite(context) ? securePrefix : ''}${name}`;
}

function setCookie(
  context: Site,
  reply: FastifyReply,
  name: Name,
  value: string,
  seconds: number,
): void {
  const attributes = `Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict`;
  const secure = isSecureSite(context) ? '; Secure' : '';
  reply.header('set-cookie', `${nameOf(context, name)}=${value}; ${attributes}${secure}`);
}
