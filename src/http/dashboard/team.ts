/** The people of the current account. Everybody sees them, owners change them. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { roles } from '../../domain/users/role.ts';
import type { HttpContext } from '../http-context.ts';
import { getAccount, getActor } from './dashboard-guard.ts';

const RoleField = Type.Unsafe<(typeof roles)[number]>({ type: 'string', enum: [...roles] });
const InvitationBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  role: RoleField,
});
const MemberBody = Type.Object({ role: RoleField });
type MemberParams = { readonly user_id: string };

const forOwners = {
  config: { dashboard: 'owner' },
  bodyLimit: limits.publicBodyBytesMax,
  schema: { hide: true },
} as const;

export function addTeam(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;

  app.get('/team', {
    config: { dashboard: 'viewer' },
    schema: { hide: true },
    handler: async (request) => {
      const { members, invitations } = await useCases.listTeam(getAccount(request).accountId);
      return {
        members: members.map((member) => ({
          user_id: member.userId,
          email: member.email,
          role: member.role,
          joined_at: member.joinedAt.toISOString(),
          last_seen_at: member.lastSeenAt?.toISOString() ?? null,
        })),
        invitations: invitations.map(({ invitationId, email, role, expiresAt }) => ({
          ...{ invitation_id: invitationId, email, role, expires_at: expiresAt.toISOString() },
        })),
      };
    },
  });

  app.patch<{ Params: MemberParams; Body: Static<typeof MemberBody> }>('/team/:user_id', {
    ...forOwners,
    schema: { hide: true, body: MemberBody },
    handler: async (request) => {
      const { user_id: userId } = request.params;
      const name = { accountId: getAccount(request).accountId, userId };
      await useCases.changeRole(getActor(request), name, request.body.role);
      return { user_id: userId, role: request.body.role };
    },
  });

  app.delete<{ Params: MemberParams }>('/team/:user_id', {
    ...forOwners,
    handler: async (request, reply) => {
      const { user_id: userId } = request.params;
      const name = { accountId: getAccount(request).accountId, userId };
      await useCases.removeMember(getActor(request), name);
      return reply.code(204).send();
    },
  });

  addInvitations(app, context);
}

function addInvitations(app: FastifyInstance, { useCases }: HttpContext): void {
  app.post<{ Body: Static<typeof InvitationBody> }>('/team/invitations', {
    ...forOwners,
    schema: { hide: true, body: InvitationBody },
    handler: async (request) => {
      const { accountId } = getAccount(request);
      const invited = await useCases.inviteUser(getActor(request), { accountId, ...request.body });
      return {
        invitation_id: invited.invitationId,
        email: invited.email,
        role: invited.role,
        link: invited.link,
        expires_at: invited.expiresAt.toISOString(),
      };
    },
  });

  app.delete<{ Params: { readonly invitation_id: string } }>('/team/invitations/:invitation_id', {
    ...forOwners,
    handler: async (request, reply) => {
      const { invitation_id: invitationId } = request.params;
      const { accountId } = getAccount(request);
      await useCases.withdrawInvitation(getActor(request), { accountId, invitationId });
      return reply.code(204).send();
    },
  });
}
