/** The ids of the keys that sign tokens. The keys themselves are derived from the master key and never stored. */
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { execute, listRows } from '../query.ts';

type StoredSigningKey = {
  readonly keyId: string;
  readonly masterKeyId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
};

export function listSigningKeys(database: Queryable) {
  return listRows<StoredSigningKey>(database, [], 'list-signing-keys')`
    select ${columnsOf('keyId, masterKeyId, createdAt, expiresAt')}
      from signing_keys order by created_at desc, key_id`;
}

export async function insertSigningKey(database: Queryable, key: StoredSigningKey) {
  await execute(database, [key.keyId, key.masterKeyId, key.createdAt, key.expiresAt])`
    insert into signing_keys (key_id, master_key_id, created_at, expires_at)
    values ($1, $2, $3, $4) on conflict (key_id) do nothing`;
}

/** Sets when the existing keys expire. A key that expires sooner is left alone. */
export async function endSigningKeys(tx: Transaction, endsAt: Date) {
  await execute(tx, [endsAt])`
    update signing_keys set expires_at = $1
     where expires_at is null or expires_at > $1`;
}
