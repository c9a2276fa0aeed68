/** The currencies into which an account's orders are converted. They are read with the account. */
import type { AlternateCurrency } from '../domain/accounts/account.ts';
import type { Transaction } from '../postgres/database.ts';

export async function replaceAlternateCurrencies(
  tx: Transaction,
  accountId: string,
  alternatives: readonly AlternateCurrency[],
): Promise<void> {
  await tx.query({
    text: 'delete from account_alternate_currencies where account_id = $1',
    values: [accountId],
  });
  for (const { from, to, rate } of alternatives) {
    await tx.query({
      text: `insert into account_alternate_currencies (account_id, from_currency, to_currency, rate)
             values ($1, $2, $3, $4)`,
      values: [accountId, from, to, rate],
    });
  }
}
