/** The people of an account: its members, and those who are invited. */
import type { Services } from '../../services/services.ts';
import { type Invitation, listInvitations } from '../../store/users/invitations.ts';
import { listMembers, type Member } from '../../store/users/memberships.ts';

type Team = {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
};

export async function listTeam(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  accountId: string,
): Promise<Team> {
  return {
    members: await listMembers(database, accountId),
    invitations: await listInvitations(database, accountId, clock()),
  };
}
