/**
 * Creates an order with a payment link, or returns the link of the order that the same request created before. An order
 * has one link, also when its requests are concurrent. Contract 14.6.
 */
import { newLinkId } from '../../domain/ids.ts';
import { readLinkExpiry } from '../../domain/orders/link-expiry.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderRequest } from '../../domain/orders/order-request.ts';
import type { Services } from '../../services/services.ts';
import type { InsertedOrder, LinkedOrder } from '../../store/orders/insert-orders.ts';
import { findLinkId, insertLink, type PaymentLink } from '../../store/orders/payment-links.ts';
import { type CreatedOrder, createOrderWith } from './create-order.ts';

export type LinkRequest = OrderRequest & {
  /** ISO 8601 with a zone, as it was sent. */
  readonly expiresAt?: string | undefined;
};

export type CreatedLink = CreatedOrder & {
  /** The URL for the consumer. */
  readonly link: string;
};

/** How links are stored. */
type LinkWrites = {
  readonly insertOrder: (order: LinkedOrder) => Promise<InsertedOrder>;
  /** For an order that exists. It may have a link already. */
  readonly insertLink: (link: PaymentLink) => Promise<unknown>;
};

export function createPaymentLink(
  services: Services,
  accountId: string,
  request: LinkRequest,
): Promise<CreatedLink> {
  return createLinkWith(services, accountId, request, {
    insertOrder: services.batches.insertLinkedOrder,
    insertLink: (link) => insertLink(services.database, link),
  });
}

/** The same with other writes, which may store more than the link in the same commit. */
export async function createLinkWith(
  services: Services,
  accountId: string,
  { expiresAt, ...request }: LinkRequest,
  writes: LinkWrites,
): Promise<CreatedLink> {
  const lapsesAt =
    expiresAt === undefined ? undefined : readLinkExpiry(expiresAt, services.clock());
  const newId = newLinkId(accountId);
  const created = await createOrderWith(services, accountId, { ...request, lapsesAt }, (order) =>
    writes.insertOrder({ ...order, linkId: newId }),
  );
  const linkId = created.replayed ? await getLinkId(services, created.order, newId, writes) : newId;
  return { ...created, link: `${services.settings.publicUrl}/l/${linkId}` };
}

/** An order that create order made has no link yet. Of concurrent requests that add one, the first adds it. */
async function getLinkId(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  order: Order,
  newId: string,
  writes: LinkWrites,
): Promise<string> {
  const known = await findLinkId(database, order);
  if (known !== undefined) return known;
  const { accountId, orderId } = order;
  await writes.insertLink({ accountId, orderId, linkId: newId, createdAt: clock() });
  const added = await findLinkId(database, order);
  if (added === undefined) throw new Error('a link that was added is not stored');
  return added;
}
