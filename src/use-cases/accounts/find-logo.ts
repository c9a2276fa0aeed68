/** Finds the logo of an account for the pages of its consumers. Contract 14.2. */
import { isLogoDigest } from '../../domain/accounts/logo.ts';
import { isAccountId } from '../../domain/ids.ts';
import type { Services } from '../../services/services.ts';
import { findLogo as findStored, type LogoImage } from '../../store/accounts/account-logos.ts';

/**
 * Undefined if the account's logo is another one. Read from the database, not from the cache of accounts: a page may show
 * a new logo before this process knows of it.
 */
export async function findLogo(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  digest: string,
): Promise<LogoImage | undefined> {
  if (!isAccountId(accountId) || !isLogoDigest(digest)) return undefined;
  return findStored(database, accountId, digest);
}
