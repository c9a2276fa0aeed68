/** The cookies of the dashboard: that of a session, and that by which a device is known. Contract 13.2. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { userLimits } from '../../domain/users/limits.ts';
import type { Edge } from '../edge.ts';
import { readCookie, securePrefix } from '../read-cookies.ts';
import { isSecureSite } from '../site.ts';

type Site = Pick<Edge, 'settings'>;

type Name = 'session' | 'device';

export function findSecret(
  edge: Site,
  { headers }: FastifyRequest,
  name: Name = 'session',
): string | undefined {
  const secret = readCookie(headers.cookie, nameOf(edge, name));
  return secret !== undefined && /^[\w-]{43}$/.test(secret) ? secret : undefined;
}

export function keepSecret(edge: Site, reply: FastifyReply, secret: string): void {
  setCookie(edge, reply, 'session', secret, userLimits.sessionSeconds);
}

export function keepDevice(edge: Site, reply: FastifyReply, device: string): void {
  setCookie(edge, reply, 'device', device, userLimits.knownVisitorSeconds);
}

export function dropSecret(edge: Site, reply: FastifyReply): void {
  setCookie(edge, reply, 'session', '', 0);
}

/** Over plain http, which is used on loopback only, browsers accept neither the prefix nor `Secure`. */
function nameOf(edge: Site, name: Name): string {
  return `${isSecureSite(edge) ? securePrefix : ''}${name}`;
}

function setCookie(
  edge: Site,
  reply: FastifyReply,
  name: Name,
  value: string,
  seconds: number,
): void {
  const attributes = `Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict`;
  const secure = isSecureSite(edge) ? '; Secure' : '';
  reply.header('set-cookie', `${nameOf(edge, name)}=${value}; ${attributes}${secure}`);
}
