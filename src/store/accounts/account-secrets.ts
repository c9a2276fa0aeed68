/** The sealed secrets of accounts. The store never opens a seal. */
import type { SecretKind } from '../../domain/accounts/account.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { execute, listRows, listValues } from '../query.ts';

export type SealedSecret = {
  readonly kind: SecretKind;
  readonly secretId: string;
  readonly sealed: Buffer;
  readonly expiresAt: Date | null;
};

/** Newest first. */
export function listSecrets(database: Queryable, accountId: string) {
  return listRows<SealedSecret>(database, [accountId], 'find-account-secrets')`
    select ${columnsOf('kind, secretId, sealed, expiresAt')}
      from account_secrets where account_id = $1
     order by created_at desc, secret_id`;
}

export type SecretTimes = Pick<SealedSecret, 'kind' | 'expiresAt'> & { readonly createdAt: Date };

/** Newest first, without the secrets themselves. */
export function listSecretTimes(database: Queryable, accountId: string) {
  return listRows<SecretTimes>(database, [accountId])`
    select ${columnsOf('kind, createdAt, expiresAt')}
      from account_secrets where account_id = $1
     order by created_at desc, secret_id`;
}

export async function insertSecret(
  tx: Transaction,
  accountId: string,
  secret: SealedSecret,
  now: Date,
) {
  const values = [accountId, secret.kind, secret.secretId, secret.sealed, now, secret.expiresAt];
  await execute(tx, values)`
    insert into account_secrets (account_id, kind, secret_id, sealed, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6)`;
}

/** One secret per master key: the first five bytes identify the key that a secret was sealed with. */
export function listSealedSamples(database: Queryable) {
  return listValues<Buffer>(database)`
    select distinct on (substring(sealed from 1 for 5)) sealed from account_secrets
     order by substring(sealed from 1 for 5)`;
}

/** Replaces the sealed bytes after the secret was sealed with another master key. */
export async function updateSealedSecret(
  tx: Transaction,
  accountId: string,
  { kind, secretId, sealed }: Pick<SealedSecret, 'kind' | 'secretId' | 'sealed'>,
) {
  await execute(tx, [accountId, kind, secretId, sealed])`
    update account_secrets set sealed = $4
     where account_id = $1 and kind = $2 and secret_id = $3`;
}

export async function deleteSecrets(tx: Transaction, accountId: string, kind: SecretKind) {
  await execute(tx, [accountId, kind])`
    delete from account_secrets where account_id = $1 and kind = $2`;
}

/** Sets when the secrets of a kind expire. A secret that expires sooner is left alone. */
export async function endSecrets(
  tx: Transaction,
  accountId: string,
  kind: SecretKind,
  endsAt: Date,
) {
  await execute(tx, [accountId, kind, endsAt])`
    update account_secrets set expires_at = $3
     where account_id = $1 and kind = $2 and (expires_at is null or expires_at > $3)`;
}
