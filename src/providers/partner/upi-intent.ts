/**
 * Asks the partner for a UPI intent: a link that opens the consumer's UPI app with the payment. It is a second call for
 * an order that exists already. Whatever becomes of it, the consumer can pay that order on the partner's page.
 */
import type { ConsumerContact } from '../../domain/orders/consumer.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { Answer, ProviderApi } from '../call.ts';
import { outcomeOf, type PaymentToStart, readIntentUrl, type StartedPayment } from '../outbound.ts';
import { truncate } from '../wire.ts';
import { callPartner, notesOf } from './call-partner.ts';

/** `created` is the answer to the call that created the order. */
export async function startIntent(
  api: ProviderApi,
  payment: PaymentToStart,
  providerOrderId: string,
  created: Answer,
): Promise<Pick<StartedPayment, 'intentUrl' | 'intentCall'>> {
  const contact = contactFields(payment.consumer);
  const isWanted = payment.modeCode === 'upi' && api.settings['upi-intent'] === 'on';
  if (!isWanted || !contact) return {};
  const answer = await callPartner(api, {
    method: 'POST',
    path: '/v1/payments/create/upi',
    body: {
      amount: payment.amount,
      currency: payment.currency,
      order_id: providerOrderId,
      ...contact,
      method: 'upi',
      // It may become part of the link, which is stored: the description of the order is free text about anybody.
      description: truncate(`Order ${payment.invoiceId}`, descriptionCharsMax),
      notes: notesOf(payment),
      upi: { flow: 'intent' },
    },
    // A repeat could create a second attempt, so only a call that took no effect is retried.
    isRepeatable: false,
    // Both calls together take no longer than one: the consumer waits for them.
    answerMsMax: paymentLimits.providerAnswerMsMax - created.durationMs,
  });
  const { result } = outcomeOf(answer, (body) => {
    const intentUrl = readIntentUrl(api, body.link);
    return intentUrl === undefined ? undefined : { intentUrl };
  });
  // The words of a refusal are dropped, because they may quote the e-mail address or the phone number.
  const intentCall = { answer, outcome: result.kind };
  return result.kind === 'done' ? { intentUrl: result.intentUrl, intentCall } : { intentCall };
}

const descriptionCharsMax = 255;

/** The partner requires both. */
function contactFields({ email, phone }: ConsumerContact) {
  return email === undefined || phone === undefined ? undefined : { email, contact: phone };
}
