/** Lists deliveries, newest first, of one account or of several, with what each is about. */
import { timeKeyOfDelivery } from '../../domain/ids.ts';
import { type ListedAccounts, type NewestQuery, readNewest } from '../../services/read-newest.ts';
import type { Services } from '../../services/services.ts';
import { type DeliveryFilter, findFilteredDeliveries } from '../../store/inbox/delivery-lists.ts';
import { describeContents } from './describe-contents.ts';

/** `after` is a delivery id. */
export async function listDeliveries(
  { database }: Pick<Services, 'database'>,
  accounts: ListedAccounts,
  { filter, after, ...query }: NewestQuery & { readonly filter: DeliveryFilter },
) {
  const cursor = after === undefined ? undefined : timeKeyOfDelivery(after);
  const behind = { ...query, after: cursor };
  const { rows, ...page } = await readNewest(database, accounts, behind, {
    find: (from, accountId, range) => findFilteredDeliveries(from, accountId, { ...range, filter }),
    cursorOf: ({ deliveryId }) => timeKeyOfDelivery(deliveryId),
  });
  return { ...page, deliveries: await describeContents(database, rows) };
}
