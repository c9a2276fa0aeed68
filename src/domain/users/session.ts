/** A session of a signed-in user, and how long it lasts. Contract 13.2. */
import type { Actor } from '../audit.ts';
import { addSeconds } from '../time.ts';
import { userLimits } from './limits.ts';
import type { Role } from './role.ts';

export type Visitor = {
  readonly address: string;
  readonly userAgent: string;
};

export type Session = Visitor & {
  readonly sessionId: string;
  readonly userId: string;
  /** The account that the user chose last; it may have been left since. */
  readonly accountId: string | null;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  /** When the user last gave their password or used a passkey. */
  readonly confirmedAt: Date;
};

export type SessionUser = {
  readonly userId: string;
  readonly email: string;
  readonly hasPassword: boolean;
  readonly hasPasskey: boolean;
};

export type OwnAccount = {
  readonly accountId: string;
  readonly name: string;
  readonly role: Role;
  readonly isSuspended: boolean;
};

export type SignedIn = {
  readonly session: Session;
  readonly user: SessionUser;
  readonly accounts: readonly OwnAccount[];
  /** Undefined for a user who belongs to no account any more. */
  readonly account: OwnAccount | undefined;
};

export function isLive({ lastSeenAt, expiresAt }: Session, now: Date): boolean {
  return now < expiresAt && now < addSeconds(lastSeenAt, userLimits.sessionIdleSeconds);
}

/** Until when "Show secret" does not ask again. */
export function confirmedUntil({ confirmedAt }: Session): Date {
  return addSeconds(confirmedAt, userLimits.confirmationSeconds);
}

/** True once the user has confirmed who they are after the sign-in. It says nothing about when. */
export const isConfirmedAgain = ({ confirmedAt, createdAt }: Session) => confirmedAt > createdAt;

export function decideAccount({ accountId }: Session, accounts: readonly OwnAccount[]) {
  return accounts.find((own) => own.accountId === accountId) ?? accounts[0];
}

/** The account that a new session shows: the one that the user worked in last, as far as that is known, or the first. */
export function decideFirstAccount(
  sessionsLastUsedFirst: readonly Session[],
  accounts: readonly OwnAccount[],
): OwnAccount | undefined {
  const isOwn = ({ accountId }: Session) => accounts.some((own) => own.accountId === accountId);
  const last = sessionsLastUsedFirst.find(isOwn);
  return last ? decideAccount(last, accounts) : accounts[0];
}

export function actorOf(
  { userId, email }: Pick<SessionUser, 'userId' | 'email'>,
  { address }: Visitor,
): Actor {
  return { name: email, userId, address };
}
