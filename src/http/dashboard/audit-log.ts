/** The audit log of the current account, newest first. Contract 13.3. */
import type { FastifyInstance } from 'fastify';
import type { AuditEntry } from '../../domain/audit.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute } from './dashboard-guard.ts';
import { readLimit, readText } from './read-query.ts';
import { isMaskedFor } from './view-parts.ts';

export function addAuditLog(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /audit', { bound: 'search' }, async ({ account, query }) => {
    const page = { after: readText(query, 'after'), limit: readLimit(query) };
    const { entries, next } = await useCases.listAuditLog(account.accountId, page);
    // A note may mention a consumer, whose data a viewer sees masked only.
    const hasNotes = !isMaskedFor(account.role);
    return { entries: entries.map((entry) => auditView(entry, hasNotes)), next: next ?? null };
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
