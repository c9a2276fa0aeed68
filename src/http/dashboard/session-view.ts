/** Sessions in the field names of the API. */
import {
  confirmedUntil,
  isConfirmedAgain,
  type OwnAccount,
  type Session,
  type SignedIn,
} from '../../domain/users/session.ts';

export function sessionView({ session, user, accounts, account }: SignedIn) {
  return {
    user: {
      user_id: user.userId,
      email: user.email,
      has_password: user.hasPassword,
      has_passkey: user.hasPasskey,
    },
    accounts: accounts.map(accountView),
    account: account ? accountView(account) : null,
    session: {
      session_id: session.sessionId,
      created_at: session.createdAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
      confirmed_until: confirmedUntil(session).toISOString(),
      confirmed_again: isConfirmedAgain(session),
    },
  };
}

export function accountView({ accountId, name, role, isSuspended }: OwnAccount) {
  return { account_id: accountId, name, role, suspended: isSuspended };
}

export function listedSessionView(session: Session, current: Session) {
  return {
    session_id: session.sessionId,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    address: session.address,
    user_agent: session.userAgent,
    current: session.sessionId === current.sessionId,
  };
}
