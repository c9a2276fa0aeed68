/** Finds a payment link and its order by the names that a shop has for it. Contract 19.2. */
import { ServiceError } from '../../domain/errors.ts';
import { findAccountIdOfLink } from '../../domain/ids.ts';
import type { Services } from '../../services/services.ts';
import { findLinkedOrder, findLinkOfInvoice } from '../../store/orders/payment-links.ts';

export type LinkNames = {
  readonly linkId?: string | undefined;
  readonly invoiceId?: string | undefined;
};

export async function getPaymentLink(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  { linkId, invoiceId }: LinkNames,
) {
  if (linkId !== undefined) {
    const isOwn = findAccountIdOfLink(linkId) === accountId;
    const found = isOwn ? await findLinkedOrder(database, accountId, linkId) : undefined;
    if (!found) {
      throw new ServiceError(
        'ORDER_NOT_FOUND',
        'No payment link of this account has this payment_link_id: check the value.',
      );
    }
    if (invoiceId === undefined || found.order.invoiceId === invoiceId) return found;
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      'payment_link_id and invoice_id do not belong together: they name two different orders. Send one of them.',
    );
  }
  if (invoiceId === undefined) {
    throw new ServiceError('INVALID_REQUEST_PARAMETER', 'Send payment_link_id or invoice_id.');
  }
  const found = await findLinkOfInvoice(database, accountId, invoiceId);
  if (found) return found;
  throw new ServiceError(
    'INVOICE_NOT_FOUND',
    'No payment link of this account has this invoice_id: check the value.',
  );
}

/** The URL for the consumer. */
export function linkUrl({ settings }: Pick<Services, 'settings'>, linkId: string): string {
  return `${settings.publicUrl}/l/${linkId}`;
}
