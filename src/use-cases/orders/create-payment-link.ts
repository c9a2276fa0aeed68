/**
 * Creates an order with a payment link, or returns the link of the order that the same request created before. An order
 * has one link, also when its requests are concurrent. Contract 14.6.
 */

import { type Actor, auditEntry } from '../../domain/audit.ts';
import { newLinkId } from '../../domain/ids.ts';
import { readLinkExpiry } from '../../domain/orders/link-expiry.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { OrderRequest } from '../../domain/orders/order-request.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import {
  type InsertedOrder,
  insertLinkedOrders,
  type LinkedOrder,
} from '../../store/orders/insert-orders.ts';
import { findLinkId, insertLink, type PaymentLink } from '../../store/orders/payment-links.ts';
import { refuseSuspended } from '../accounts/authenticate-caller.ts';
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
async function createLinkWith(
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

/**
 * Creates a payment link for a person, on the command line or the dashboard. Such an order needs neither a consumer nor
 * items, whatever the account requires of its shop: see docs/decisions/0050. The link and its entry in the audit log
 * are one transaction. Contract 14.6. The same request again returns the same link, and is not in the audit log a
 * second time.
 */
export async function createLinkByHand(
  services: Services,
  actor: Actor,
  accountId: string,
  request: LinkRequest,
): Promise<CreatedLink> {
  refuseSuspended(await services.accounts.get(accountId));
  return createLinkWith(
    services,
    accountId,
    { ...request, isByHand: true },
    {
      insertOrder: (order) => insertOrderAudited(services, actor, order),
      insertLink: (link) => insertLinkAudited(services, actor, link),
    },
  );
}

async function insertOrderAudited(
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

async function insertLinkAudited(
  services: Pick<Services, 'database' | 'clock'>,
  actor: Actor,
  link: PaymentLink,
): Promise<void> {
  await services.database.transaction(async (tx) => {
    if (await insertLink(tx, link)) await writeAudit(tx, services, actor, link);
  });
}

function writeAudit(
  tx: Transaction,
  { clock }: Pick<Services, 'clock'>,
  actor: Actor,
  { accountId, orderId }: OrderKey,
): Promise<void> {
  const created = { accountId, action: 'link.created', object: orderId } as const;
  return appendAudit(tx, auditEntry(actor, clock(), created));
}
