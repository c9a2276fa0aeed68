/** The audit log: who did what to which object, when and from where. Contract 13.3. */
export type Actor = {
  /** `cli`, the e-mail address of the user, or `unknown` for whoever failed to sign in. */
  readonly name: string;
  readonly userId: string | null;
  readonly address: string | null;
};

export const commandLine: Actor = { name: 'cli', userId: null, address: null };

export type AuditAction =
  | `account.${'created' | 'updated' | 'suspended' | 'resumed'}`
  | `secret.${'rotated' | 'shown'}`
  | `keys.${'signing_rotated' | 'master_rotated'}`
  | `endpoint.${'created' | 'updated' | 'rotated' | 'enabled' | 'disabled' | 'deleted' | 'tested'}`
  | `event.resent`
  | `delivery.${'resolved' | 'replayed'}`
  | `flag.resolved`
  | `order.rebuilt`
  | `orders.exported`
  | `figures.rebuilt`
  | `link.${'created' | 'cancelled'}`
  | `${'refund' | 'capture' | 'void'}.requested`
  | `consumer.erased`
  | `user.${'invited' | 'uninvited' | 'joined' | 'role_changed' | 'removed' | 'reset' | 'signed_in' | 'signed_out'}`
  | `user.sign_in_failed`
  | `user.${'password_changed' | 'passkey_added' | 'passkey_removed'}`;

export type AuditEntry = {
  readonly accountId: string;
  readonly auditId: string;
  readonly at: Date;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly object: string;
  readonly note: string | null;
  /** Never a secret, and no personal data of a consumer. */
  readonly details: Readonly<Record<string, unknown>>;
};

export type Audited = Pick<AuditEntry, 'accountId' | 'action' | 'object'> &
  Partial<Pick<AuditEntry, 'note' | 'details'>>;
