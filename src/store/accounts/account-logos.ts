/** The logos of accounts, with their bytes. Contract 14.2. */
import type { ImageMediaType, Logo } from '../../domain/accounts/logo.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { execute, findRow } from '../query.ts';

export type LogoImage = { readonly mediaType: ImageMediaType; readonly bytes: Buffer };

/** Replaces the former one. */
export async function saveLogo(
  tx: Transaction,
  accountId: string,
  { digest, mediaType }: Logo,
  bytes: Buffer,
) {
  await execute(tx, [accountId, digest, mediaType, bytes])`
    insert into account_logos (account_id, digest, media_type, bytes)
    values ($1, $2, $3, $4)
    on conflict (account_id) do update
       set digest = excluded.digest, media_type = excluded.media_type, bytes = excluded.bytes`;
}

export async function deleteLogo(tx: Transaction, accountId: string) {
  await execute(tx, [accountId])`delete from account_logos where account_id = $1`;
}

export function findLogo(database: Queryable, accountId: string, digest: string) {
  return findRow<LogoImage>(database, [accountId, digest], 'find-logo')`
    select media_type as "mediaType", bytes from account_logos
     where account_id = $1 and digest = $2`;
}
