/** The audit log of the current account, newest first. Contract 13.3. */
import type { FastifyInstance } from 'fastify';
import type { AuditEntry } from '../../domain/audit.ts';
import { includesRole } from '../../domain/users/role.ts';
import type { HttpContext } from '../http-context.ts';
import { getAccount } from './dashboard-guard.ts';
import { type Query, readLimit, readText } from './read-query.ts';

export function addAuditLog(app: FastifyInstance, { useCases }: HttpContext): void {
  app.get<{ Querystring: Query }>('/audit', {
    config: { dashboard: 'viewer', bound: 'search' },
    schema: { hide: true },
    handler: async (request) => {
      const { accountId, role } = getAccount(request);
      const page = { after: readText(request.query, 'after'), limit: readLimit(request.query) };
      const { entries, next } = await useCases.listAuditLog(accountId, page);
      // A note may mention a consumer, whose data a viewer sees masked only.
      const hasNotes = includesRole(role, 'operator');
      return { entries: entries.map((entry) => auditView(entry, hasNotes)), next: next ?? null };
    },
  });
}

export function auditView({ actor, ...entry }: AuditEntry, hasNotes: boolean) {
  return {
    audit_id: entry.auditId,
    at: entry.at.toISOString(),
    actor: actor.name,
    user_id: actor.userId,
    address: actor.address,
    action: entry.action,
    object: entry.object,
    note: hasNotes ? entry.note : null,
    details: entry.details,
  };
}
