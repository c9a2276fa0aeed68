/** Reads the current status of a payment link, of its order and of the transactions. Contract 19.2. */
import { refundBalance } from '../../domain/order-state/refund-links.ts';
import { linkStatus } from '../../domain/orders/payment-link.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { getPaymentLink, type LinkNames, linkUrl } from '../orders/get-payment-link.ts';
import { enquire } from './enquire.ts';

export async function enquireLink(services: Services, caller: Caller, names: LinkNames) {
  const { order, link } = await getPaymentLink(services, caller.accountId, names);
  const enquiry = await enquire(services, caller, { orderId: order.orderId });
  // The link and its order are of one moment, so a link that is cancelled now is never called expired. A payment that
  // was applied since counts.
  const latest = enquiry.order.savedStatus === 'completed' ? enquiry.order : order;
  const { paid } = refundBalance(enquiry.transactions, enquiry.order.amounts.currency);
  const status = linkStatus(link, latest, services.clock());
  return { enquiry, status, paid, linkId: link.linkId, url: linkUrl(services, link.linkId) };
}
