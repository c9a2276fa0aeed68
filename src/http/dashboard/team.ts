/** The people of the current account, and the log of what they did. Everybody sees both, owners change people. Contract 13.3. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AuditEntry } from '../../domain/audit.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { limits } from '../../domain/limits.ts';
import { type Role, roles } from '../../domain/users/role.ts';
import type { NewInvitation } from '../../use-cases/users/invite-user.ts';
import type { HttpContext } from '../http-context.ts';
import { addRoute, search } from './dashboard-guard.ts';
import { readLimit, readText } from './read-query.ts';
import { isMaskedFor } from './view-parts.ts';

const RoleField = Type.Unsafe<Role>({ type: 'string', enum: [...roles] });
const email = Type.String({ minLength: 1, maxLength: limits.textCharsMax });
const withInvitation = { body: Type.Object({ email, role: RoleField }) };
const withRole = { body: Type.Object({ role: RoleField }) };

export function addTeam(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /team', {}, async ({ account }) => {
    const { members, invitations } = await useCases.listTeam(account.accountId);
    return {
      members: members.map(({ userId, email, role, joinedAt, lastSeenAt }) =>
        withSnakeCase({ userId, email, role, joinedAt, lastSeenAt }),
      ),
      invitations: invitations.map(invitationView),
    };
  });

  addRoute(app, 'owner', 'PATCH /team/:user_id', withRole, async (request) => {
    const { account, actor, params, body } = request;
    const key = { accountId: account.accountId, userId: params.user_id };
    await useCases.changeRole(actor, key, body.role);
    return { user_id: params.user_id, role: body.role };
  });

  addRoute(app, 'owner', 'DELETE /team/:user_id', {}, async ({ account, actor, params }) => {
    const key = { accountId: account.accountId, userId: params.user_id };
    await useCases.changeRole(actor, key, null);
  });

  addRoute(app, 'owner', 'POST /team/invitations', withInvitation, async (request) => {
    const { account, actor } = request;
    const { email, role } = request.body;
    const invited = await useCases.inviteUser(actor, {
      accountId: account.accountId,
      email,
      role,
    });
    return { ...invitationView(invited), link: invited.link };
  });

  const invitationPath = 'DELETE /team/invitations/:invitation_id';
  addRoute(app, 'owner', invitationPath, {}, async ({ account, actor, params }) => {
    const key = { accountId: account.accountId, invitationId: params.invitation_id };
    await useCases.withdrawInvitation(actor, key);
  });
}

function invitationView({
  invitationId,
  email,
  role,
  expiresAt,
}: Pick<NewInvitation, 'invitationId' | 'email' | 'expiresAt'> & { readonly role: Role | null }) {
  return withSnakeCase({ invitationId, email, role, expiresAt });
}

export function addAuditLog(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'viewer', 'GET /audit', search, async ({ account, query }) => {
    const page = { after: readText(query, 'after'), limit: readLimit(query) };
    const { entries, next } = await useCases.listAuditLog(account.accountId, page);
    // A note may mention a consumer, whose data a viewer sees masked only.
    const hasNotes = !isMaskedFor(account.role);
    return { entries: entries.map((entry) => auditView(entry, hasNotes)), next: next ?? null };
  });
}

export function auditView({ actor, ...entry }: AuditEntry, hasNotes: boolean) {
  const { auditId, at, action, object, details } = entry;
  const { name, userId, address } = actor;
  const note = hasNotes ? entry.note : null;
  return {
    ...withSnakeCase({ auditId, at, actor: name, userId, address, action, object, note }),
    details,
  };
}
