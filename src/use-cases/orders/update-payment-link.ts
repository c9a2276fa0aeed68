/** Changes what a payment link asks for and until when, while nobody has paid or tried to pay. Contract 19.2. */
import { readLinkExpiry } from '../../domain/orders/link-expiry.ts';
import { decideUpdate, type OrderUpdate } from '../../domain/orders/order-update.ts';
import { refuseFixedLink } from '../../domain/orders/payment-link.ts';
import type { Services } from '../../services/services.ts';
import { saveCheckoutLapse } from '../../store/orders/checkouts.ts';
import { lockOrder } from '../../store/orders/orders.ts';
import { findLink } from '../../store/orders/payment-links.ts';
import { listContentChanges, saveChangedContent } from './change-order.ts';
import { getPaymentLink, type LinkNames, linkUrl } from './get-payment-link.ts';
import { issueOrderTokens } from './order-tokens.ts';

type LinkUpdate = OrderUpdate & {
  /** As it was sent. */
  readonly expiresAt?: string | undefined;
};

export async function updatePaymentLink(
  services: Pick<Services, 'database' | 'accounts' | 'tokens' | 'clock' | 'settings'>,
  accountId: string,
  names: LinkNames,
  { expiresAt, ...update }: LinkUpdate,
) {
  const account = await services.accounts.get(accountId);
  const named = await getPaymentLink(services, accountId, names);
  const updated = await services.database.transaction(async (tx) => {
    // Ends the race with payments and other changes: a payment is started with the amount before or after, never between.
    const before = await lockOrder(tx, accountId, named.order.orderId);
    const link = before && (await findLink(tx, before));
    if (!link) throw new Error('a payment link that was found does not exist any more');
    const now = services.clock();
    refuseFixedLink(link, before, now);
    const content = decideUpdate(before, update, account, 'merchant');
    const lapsesAt = expiresAt === undefined ? before.lapsesAt : readLinkExpiry(expiresAt, now);
    const order = { ...before, ...content, lapsesAt };
    if (listContentChanges(before, order).length > 0) {
      await saveChangedContent(tx, before, order, { cause: 'update-link', now });
      await saveCheckoutLapse(tx, order);
    }
    return { order, link };
  });
  const tokens = await issueOrderTokens(services, updated.order);
  return { ...updated, tokens, url: linkUrl(services, updated.link.linkId) };
}
