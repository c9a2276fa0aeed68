/**
 * Creates an order with a payment link, or returns the link of the order that the same request created before. An order
 * has one link, also when its requests are concurrent. Contract 14.6 and 19.2.
 */
import type { Actor } from '../../domain/audit.ts';
import { newLinkId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { readLinkExpiry } from '../../domain/orders/link-expiry.ts';
import type { OrderRequest } from '../../domain/orders/order-request.ts';
import type { PaymentLink } from '../../domain/orders/payment-link.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import {
  type InsertedOrder,
  insertLinkedOrders,
  type LinkedOrder,
} from '../../store/orders/insert-orders.ts';
import { findLink, insertLink } from '../../store/orders/payment-links.ts';
import { refuseSuspended } from '../accounts/authenticate-caller.ts';
import { createOrder } from './create-order.ts';
import { linkUrl } from './get-payment-link.ts';

export type LinkRequest = OrderRequest & {
  /** As it was sent. */
  readonly expiresAt?: string | undefined;
};

export type CreatedLink = Awaited<ReturnType<typeof createPaymentLink>>;

/**
 * Creates a payment link for a person, on the command line or the dashboard. Such an order needs neither a consumer nor
 * items, whatever the account requires of its shop: see docs/decisions/0050. The link and its entry in the audit log are
 * one transaction. The same request again returns the same link, and is not in the audit log a second time.
 */
export async function createLinkByHand(
  services: Services,
  actor: Actor,
  accountId: string,
  request: LinkRequest,
): Promise<CreatedLink> {
  refuseSuspended(await services.accounts.get(accountId));
  return createPaymentLink(services, accountId, { ...request, isByHand: true }, actor);
}

/** With an actor, a new link is written to the audit log. */
export async function createPaymentLink(
  services: Services,
  accountId: string,
  { expiresAt, ...request }: LinkRequest,
  actor?: Actor,
) {
  const lapsesAt =
    expiresAt === undefined ? undefined : readLinkExpiry(expiresAt, services.clock());
  const lapseSeconds = limits.linkExpiryDays * 86_400;
  const linkId = newLinkId(accountId);
  const wanted = { ...request, lapsesAt, lapseSeconds };
  const created = await createOrder(services, accountId, wanted, (order) => {
    const linked = { ...order, linkId };
    return actor
      ? insertAudited(services, actor, linked)
      : services.batches.insertLinkedOrder(linked);
  });
  const link = created.replayed
    ? await getLink(services, created.order, linkId, actor)
    : { linkId, openedAt: null, cancelledAt: null };
  return { ...created, link, url: linkUrl(services, link.linkId) };
}

async function insertAudited(
  services: Pick<Services, 'database' | 'batches' | 'clock'>,
  actor: Actor,
  order: LinkedOrder,
): Promise<InsertedOrder> {
  const isNew = await services.database.transaction(async (tx) => {
    const [isNew = false] = await insertLinkedOrders(tx, [order]);
    if (isNew) await writeAudit(tx, services, actor, order);
    return isNew;
  });
  // After the commit, as for every order: a delivery that is stored meanwhile either finds it or is found here.
  const { accountId, invoiceId } = order;
  const parked = await services.batches.listParkedDeliveries({ accountId, names: [invoiceId] });
  return { isNew, parked };
}

/** An order that create order made has no link yet. Of concurrent requests that add one, the first adds it. */
async function getLink(
  services: Pick<Services, 'database' | 'clock'>,
  order: OrderKey,
  linkId: string,
  actor: Actor | undefined,
): Promise<PaymentLink> {
  const { database, clock } = services;
  const known = await findLink(database, order);
  if (known !== undefined) return known;
  await database.transaction(async (tx) => {
    const isNew = await insertLink(tx, { ...order, linkId, createdAt: clock() });
    if (isNew && actor) await writeAudit(tx, services, actor, order);
  });
  const added = await findLink(database, order);
  if (added === undefined) throw new Error('a link that was added is not stored');
  return added;
}

function writeAudit(
  tx: Transaction,
  { clock }: Pick<Services, 'clock'>,
  actor: Actor,
  { accountId, orderId }: OrderKey,
): Promise<void> {
  return appendAudit(tx, actor, clock(), { accountId, action: 'link.created', object: orderId });
}
