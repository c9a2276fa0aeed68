/** The currencies into which an account's orders are converted, and their former rates. They are read with the account. */
import type { AlternateCurrency } from '../../domain/accounts/account.ts';
import type { Transaction } from '../../postgres/database.ts';

export async function replaceAlternateCurrencies(
  tx: Transaction,
  accountId: string,
  alternatives: readonly AlternateCurrency[],
) {
  await rememberRates(tx, accountId);
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

/** So that a rate that is removed can be compared with the next one. The account must be locked. */
async function rememberRates(tx: Transaction, accountId: string) {
  const { rows } = await tx.query<AlternateCurrency>({
    text: `select from_currency as "from", to_currency as "to", rate from account_alternate_currencies
            where account_id = $1`,
    values: [accountId],
  });
  if (rows.length === 0) return;
  const lastRates = Object.fromEntries(rows.map(({ from, ...last }) => [from, last]));
  await tx.query({
    text: 'update accounts set former_rates = former_rates || $2 where account_id = $1',
    values: [accountId, JSON.stringify(lastRates)],
  });
}
