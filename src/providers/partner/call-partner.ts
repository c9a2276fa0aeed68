/** What every call to the partner has in common: the credentials, and our ids in the notes. */
import type { Answer, ProviderApi, ProviderRequest } from '../call.ts';
import type { PaymentToLaunch } from '../outbound.ts';

export function callPartner(
  api: ProviderApi,
  request: Omit<ProviderRequest, 'user'>,
): Promise<Answer> {
  return api.callProvider(api, { ...request, user: api.login });
}

/** Every webhook of the payment contains them. */
export function notesOf({ transactionId, orderId, invoiceId }: PaymentToLaunch) {
  return { svc_transaction_id: transactionId, svc_order_id: orderId, invoice_id: invoiceId };
}
