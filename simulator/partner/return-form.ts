/** Sends the consumer back from the partner: a form posted from the partner's site to the shop's callback URL. */
import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { html, page, pageHeaders } from '../html.ts';
import { failureFields } from './failures.ts';
import type { PartnerPayment } from './state.ts';

export function sendReturnForm(
  reply: FastifyReply,
  callbackUrl: string,
  payment: PartnerPayment,
  keySecret: string,
): FastifyReply {
  const fields =
    payment.status === 'failed' ? failedFields(payment) : paidFields(payment, keySecret);
  const nonce = randomBytes(16).toString('base64');
  const inputs = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const policy = `${pageHeaders['content-security-policy']}; script-src 'nonce-${nonce}'`;
  return reply.headers({ ...pageHeaders, 'content-security-policy': policy }).send(
    page(
      'Back to the shop',
      html`<main class="partner"><h1>Back to the shop</h1><p>You are taken back to the shop.</p>
<form method="post" action="${callbackUrl}">${inputs}<button class="go">Continue</button></form></main>
<script nonce="${nonce}">document.forms[0].submit()</script>`,
    ),
  );
}

/** The signature covers both ids and uses the secret of the API key. */
function paidFields({ id, orderId }: PartnerPayment, keySecret: string): Record<string, string> {
  const signature = createHmac('sha256', keySecret).update(`${orderId}|${id}`).digest('hex');
  return {
    razorpay_payment_id: id,
    razorpay_order_id: orderId,
    razorpay_signature: signature,
  };
}

function failedFields({ id, orderId, failureReason }: PartnerPayment): Record<string, string> {
  const fields = Object.entries(failureFields(failureReason)).map(
    ([name, value]) => [name.replace(/^error_(.+)$/, 'error[$1]'), String(value)] as const,
  );
  const metadata = JSON.stringify({ payment_id: id, order_id: orderId });
  return { ...Object.fromEntries(fields), 'error[metadata]': metadata };
}
