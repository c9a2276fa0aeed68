/** What the filters of a list can be set to, in the order in which they are offered. */

import { deliveryFlags, reviewFlags } from '../../domain/inbox/review-reasons.ts';
import { currencyCodes } from '../../domain/money/currency.ts';
import { providers } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';
import { listRecentCurrencies } from '../../store/orders/recent-currencies.ts';

type FilterChoices = {
  readonly providers: readonly { readonly name: string; readonly displayName: string }[];
  /** Those that an order or a transaction can have. */
  readonly flags: readonly string[];
  /** All currencies. Those of recent orders come first, the most frequent one before the others. */
  readonly currencies: readonly string[];
};

export async function listFilterChoices(
  { database }: Pick<Services, 'database'>,
  accountId: string,
): Promise<FilterChoices> {
  const recent = await listRecentCurrencies(database, accountId);
  return {
    providers: providers.map(({ name, displayName }) => ({ name, displayName })),
    flags: reviewFlags.filter((flag) => !deliveryFlags.has(flag)).toSorted(),
    currencies: [...new Set([...recent, ...currencyCodes.toSorted()])],
  };
}
