/** The cookie of a session. It is the only cookie of the dashboard. Contract 13.2. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../domain/limits.ts';
import type { Edge } from '../edge.ts';
import { readCookie, securePrefix } from '../read-cookies.ts';
import { isSecureSite } from '../site.ts';

type Site = Pick<Edge, 'settings'>;

export function findSecret(edge: Site, { headers }: FastifyRequest): string | undefined {
  const secret = readCookie(headers.cookie, nameOf(edge));
  return secret !== undefined && /^[\w-]{43}$/.test(secret) ? secret : undefined;
}

export function keepSecret(edge: Site, reply: FastifyReply, secret: string): void {
  setCookie(edge, reply, secret, limits.sessionSeconds);
}

export function dropSecret(edge: Site, reply: FastifyReply): void {
  setCookie(edge, reply, '', 0);
}

/** Over plain http, which is used on loopback only, browsers accept neither the prefix nor `Secure`. */
function nameOf(edge: Site): string {
  return `${isSecureSite(edge) ? securePrefix : ''}session`;
}

function setCookie(edge: Site, reply: FastifyReply, value: string, seconds: number): void {
  const attributes = `Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict`;
  const secure = isSecureSite(edge) ? '; Secure' : '';
  reply.header('set-cookie', `${nameOf(edge)}=${value}; ${attributes}${secure}`);
}
