/** What a user may do in an account. Each role includes those before it. Contract 13.2. */

export const roles = ['viewer', 'operator', 'owner'] as const;
export type Role = (typeof roles)[number];

export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

export type Membership = {
  readonly accountId: string;
  readonly userId: string;
  readonly role: Role;
};

/** An account without an owner could not be changed by anybody but the operator of the service. */
export function isLastOwner(members: readonly Membership[], userId: string): boolean {
  const owners = members.filter(({ role }) => role === 'owner');
  return owners.length === 1 && owners[0]?.userId === userId;
}
