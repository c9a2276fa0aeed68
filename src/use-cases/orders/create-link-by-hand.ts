/**
 * Creates a payment link for a person, on the command line or the dashboard. Such an order needs neither a consumer nor
 * items, whatever the account requires of its shop: see docs/decisions/0050. The link and its entry in the audit log are
 * one transaction. Contract 14.6.
 */
import { type Actor, auditEntry } from '../../domain/audit.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import {
  type InsertedOrder,
  insertLinkedOrders,
  type LinkedOrder,
} from '../../store/orders/insert-orders.ts';
import { insertLink, type PaymentLink } from '../../store/orders/payment-links.ts';
import { refuseSuspended } from '../accounts/authenticate-caller.ts';
import { type CreatedLink, createLinkWith, type LinkRequest } from './create-payment-link.ts';

/** The same request again returns the same link, and is not in the audit log a second time. */
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
