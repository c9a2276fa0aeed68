/** The sealed secrets of accounts. The store never opens a seal. */
import type { SecretKind } from '../../domain/accounts/account.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';

export type SealedSecret = {
  readonly kind: SecretKind;
  readonly secretId: string;
  readonly sealed: Buffer;
  readonly expiresAt: Date | null;
};

type SecretRow = { kind: SecretKind; secret_id: string; sealed: Buffer; expires_at: Date | null };

/** Newest first. */
export async function listSecrets(database: Queryable, accountId: string): Promise<SealedSecret[]> {
  const { rows } = await database.query<SecretRow>({
    name: 'find-account-secrets',
    text: `select kind, secret_id, sealed, expires_at
             from account_secrets where account_id = $1
            order by created_at desc, secret_id`,
    values: [accountId],
  });
  return rows.map((row) => ({
    kind: row.kind,
    secretId: row.secret_id,
    sealed: row.sealed,
    expiresAt: row.expires_at,
  }));
}

export type SecretTimes = Pick<SealedSecret, 'kind' | 'expiresAt'> & { readonly createdAt: Date };

/** Newest first, without the secrets themselves. */
export async function listSecretTimes(
  database: Queryable,
  accountId: string,
): Promise<SecretTimes[]> {
  const { rows } = await database.query<SecretTimes>({
    text: `select kind, created_at as "createdAt", expires_at as "expiresAt"
             from account_secrets where account_id = $1
            order by created_at desc, secret_id`,
    values: [accountId],
  });
  return rows;
}

export async function insertSecret(
  tx: Transaction,
  accountId: string,
  secret: SealedSecret,
  now: Date,
): Promise<void> {
  await tx.query({
    text: `insert into account_secrets (account_id, kind, secret_id, sealed, created_at, expires_at)
           values ($1, $2, $3, $4, $5, $6)`,
    values: [accountId, secret.kind, secret.secretId, secret.sealed, now, secret.expiresAt],
  });
}

/** One secret per master key: the first five bytes identify the key that a secret was sealed with. */
export async function listSealedSamples(database: Queryable): Promise<Buffer[]> {
  const { rows } = await database.query<{ sealed: Buffer }>({
    text: `select distinct on (substring(sealed from 1 for 5)) sealed from account_secrets
            order by substring(sealed from 1 for 5)`,
  });
  return rows.map(({ sealed }) => sealed);
}

/** Replaces the sealed bytes after the secret was sealed with another master key. */
export async function updateSealedSecret(
  tx: Transaction,
  accountId: string,
  { kind, secretId, sealed }: Pick<SealedSecret, 'kind' | 'secretId' | 'sealed'>,
): Promise<void> {
  await tx.query({
    text: `update account_secrets set sealed = $4
            where account_id = $1 and kind = $2 and secret_id = $3`,
    values: [accountId, kind, secretId, sealed],
  });
}

export async function deleteSecrets(
  tx: Transaction,
  accountId: string,
  kind: SecretKind,
): Promise<void> {
  await tx.query({
    text: 'delete from account_secrets where account_id = $1 and kind = $2',
    values: [accountId, kind],
  });
}

/** Sets when the secrets of a kind expire. A secret that expires sooner is left alone. */
export async function endSecrets(
  tx: Transaction,
  accountId: string,
  kind: SecretKind,
  endsAt: Date,
): Promise<void> {
  await tx.query({
    text: `update account_secrets set expires_at = $3
            where account_id = $1 and kind = $2 and (expires_at is null or expires_at > $3)`,
    values: [accountId, kind, endsAt],
  });
}
