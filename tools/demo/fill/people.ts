/** The people of the shop, and how they come and go. */
import { type Actor, commandLine } from '../../../src/domain/audit.ts';
import type { Role } from '../../../src/domain/users/role.ts';
import { actorOf, type Visitor } from '../../../src/domain/users/session.ts';
import { acceptWithPassword } from '../../../src/use-cases/users/accept-invitation.ts';
import { listTeam } from '../../../src/use-cases/users/change-member.ts';
import { inviteUser } from '../../../src/use-cases/users/invite-user.ts';
import { signInWithPassword } from '../../../src/use-cases/users/sign-in.ts';
import type { FillStage } from './open-past.ts';

export type Person = Visitor & { readonly email: string; readonly role: Role };

const laptop =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0';
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

export const meera = person('meera@nilgiri.example', 'owner', '203.0.113.24', laptop);
export const arun = person('arun@nilgiri.example', 'operator', '203.0.113.31', windows);
export const latha = person('latha@nilgiri.example', 'viewer', '198.51.100.7', phone);
export const accounts = person('accounts@nilgiri.example', 'viewer', '198.51.100.90', windows);
export const intern = person('dev.intern@nilgiri.example', 'operator', '203.0.113.40', laptop);
/** Invited, and has not come yet. */
export const nobody = person('kiran@nilgiri.example', 'operator', '203.0.113.41', laptop);

/** They all have the same one: nobody but them uses it. */
const password = 'two leaves and a bud';

/** Invites a person, who accepts at once. Returns who acts from then on. */
export async function join(stage: FillStage, inviter: Actor, joining: Person): Promise<Actor> {
  const { services } = stage;
  const link = await invite(stage, inviter, joining);
  const token = link.slice(link.lastIndexOf('/') + 1);
  const caller = { ...joining, formerSecret: undefined, device: joining.email };
  await acceptWithPassword(services, token, password, caller);
  return actorOf({ userId: await userIdOf(stage, joining), email: joining.email }, joining);
}

export const operatorOfTheService: Actor = commandLine;

export async function invite(
  { services, accountId }: FillStage,
  inviter: Actor,
  { email, role }: Person,
): Promise<string> {
  return (await inviteUser(services, inviter, { accountId, email, role })).link;
}

export async function signIn({ services }: FillStage, joined: Person): Promise<void> {
  const { email, address, userAgent } = joined;
  await signInWithPassword(
    services,
    { email, password },
    { address, userAgent, formerSecret: undefined, device: email },
  );
}

export async function userIdOf(
  { services, accountId }: FillStage,
  { email }: Person,
): Promise<string> {
  const { members } = await listTeam(services, accountId);
  const member = members.find((one) => one.email === email);
  if (!member) throw new Error(`${email} is no member`);
  return member.userId;
}

function person(email: string, role: Role, address: string, userAgent: string): Person {
  return { email, role, address, userAgent };
}
