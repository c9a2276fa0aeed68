/** Events as the service would send them, signed by an independent implementation of the standard. */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The first event of an order, with some fields replaced. */
export function shopEvent(
  fields: Readonly<Record<string, unknown>> & { readonly event_id?: string } = {},
) {
  return {
    version: 'v3',
    event_id: 'evt_1',
    event_type: 'payment_success',
    sequence: 1,
    occurred_at: '2026-11-16T15:14:45.281Z',
    status: 'succeeded',
    message: null,
    svc_order_id: 'o_1',
    svc_transaction_id: 'o_1-261116151445',
    is_webhook: true,
    order: { svc_order_id: 'o_1', invoice_id: 'INV-1', status: 'completed' },
    ...fields,
  };
}

/** Sends the event with its id and a signature that is made now, or at another time. */
export function sendEvent(
  url: string,
  secret: string,
  event: { readonly event_id: string },
  { sentAt = new Date(), signal }: { readonly sentAt?: Date; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const body = JSON.stringify(event);
  const id = event.event_id;
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, sentAt, body),
  };
  return fetch(url, { method: 'POST', headers, body, ...(signal && { signal }) });
}

/** Changes the shop by the control API of the simulator. */
export function changeShop(simulatorUrl: string, fields: object): Promise<Response> {
  return fetch(`${simulatorUrl}/simulator/shop`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
}
