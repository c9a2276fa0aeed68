/** Lists the newest deliveries for an operator, of one account or of all, with what each is about. */
import { firstTimeKeyAt, timeKeyOfDelivery } from '../../domain/ids.ts';
import type { DeliveryState } from '../../domain/inbox/delivery.ts';
import type { Database } from '../../postgres/database.ts';
import { type NewestQuery, type NewestScope, readNewest } from '../../services/read-newest.ts';
import {
  listHighestKeys,
  listNewestDeliveries,
  type NewestDelivery,
  newestDeliveries,
} from '../../store/inbox/newest.ts';
import { type DescribedDelivery, describeContents } from './describe-contents.ts';

type Needs = { readonly database: Database };

export type DeliveriesQuery = NewestQuery & {
  readonly state: DeliveryState | undefined;
  readonly since: Date | undefined;
};

export type DeliveryPage = {
  readonly deliveries: readonly DescribedDelivery[];
  /** A delivery id. */
  readonly next: string | undefined;
};

export async function listDeliveries(
  { database }: Needs,
  scope: NewestScope,
  { state, since, after, limit }: DeliveriesQuery,
): Promise<DeliveryPage> {
  const range = { state, from: since && firstTimeKeyAt(since) };
  const { rows, next } = await readNewest<NewestDelivery>(
    scope,
    {
      keyOf: ({ deliveryId }) => timeKeyOfDelivery(deliveryId),
      listHighest: (before) => listHighestKeys(database, newestDeliveries({ ...range, before })),
      read: (accountId, page) => listNewestDeliveries(database, accountId, { ...range, ...page }),
      isWanted: (delivery) =>
        (state === undefined || delivery.state === state) &&
        (since === undefined || delivery.receivedAt >= since),
    },
    { after: after === undefined ? undefined : timeKeyOfDelivery(after), limit },
  );
  return { deliveries: await describeContents(database, rows), next: next?.deliveryId };
}
