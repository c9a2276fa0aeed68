/** The ids of the keys that sign tokens. The keys themselves are derived from the master key and never stored. */
import type { Queryable, Transaction } from '../../postgres/database.ts';

type StoredSigningKey = {
  readonly keyId: string;
  readonly masterKeyId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
};

export async function listSigningKeys(database: Queryable): Promise<StoredSigningKey[]> {
  const { rows } = await database.query<{
    key_id: string;
    master_key_id: string;
    created_at: Date;
    expires_at: Date | null;
  }>({
    name: 'list-signing-keys',
    text: `select key_id, master_key_id, created_at, expires_at from signing_keys
            order by created_at desc, key_id`,
  });
  return rows.map((row) => ({
    keyId: row.key_id,
    masterKeyId: row.master_key_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}

export async function insertSigningKey(database: Queryable, key: StoredSigningKey): Promise<void> {
  await database.query({
    text: `insert into signing_keys (key_id, master_key_id, created_at, expires_at)
           values ($1, $2, $3, $4) on conflict (key_id) do nothing`,
    values: [key.keyId, key.masterKeyId, key.createdAt, key.expiresAt],
  });
}

/** Sets when the existing keys expire. A key that expires sooner is left alone. */
export async function endSigningKeys(tx: Transaction, endsAt: Date): Promise<void> {
  await tx.query({
    text: `update signing_keys set expires_at = $1
            where expires_at is null or expires_at > $1`,
    values: [endsAt],
  });
}
