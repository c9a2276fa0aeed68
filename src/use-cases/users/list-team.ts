/** The people of an account: its members, and those who are invited. */
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { type Invitation, listInvitations } from '../../store/users/invitations.ts';
import { listMembers, type Member } from '../../store/users/memberships.ts';

type Needs = { readonly database: Database; readonly clock: Clock };

export type Team = {
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
};

export async function listTeam({ database, clock }: Needs, accountId: string): Promise<Team> {
  return {
    members: await listMembers(database, accountId),
    invitations: await listInvitations(database, accountId, clock()),
  };
}
