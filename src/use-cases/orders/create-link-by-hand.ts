/**
 * Creates a payment link for a person, on the command line or the dashboard. Such an order needs neither a consumer nor
 * items, whatever the account requires of its shop: see docs/decisions/0050. Contract 14.6.
 */
import type { Actor } from '../../domain/audit.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { refuseSuspended } from '../accounts/authenticate-caller.ts';
import { recordAudit } from '../accounts/record-audit.ts';
import { type CreatedLink, createPaymentLink, type LinkRequest } from './create-payment-link.ts';

type Needs = NeedsOf<typeof createPaymentLink> & NeedsOf<typeof recordAudit>;

/** The same request again returns the same link, and is not in the audit log a second time. */
export async function createLinkByHand(
  services: Needs,
  actor: Actor,
  accountId: string,
  request: LinkRequest,
): Promise<CreatedLink> {
  refuseSuspended(await services.accounts.get(accountId));
  const created = await createPaymentLink(services, accountId, { ...request, isByHand: true });
  const done = { accountId, action: 'link.created', object: created.order.orderId } as const;
  if (!created.replayed) await recordAudit(services, actor, [done]);
  return created;
}
