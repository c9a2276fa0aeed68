/** One payment of an order with its captures, refunds and failure. */
import { useState } from 'preact/hooks';
import { isPositive, moneyOf, sentence, timeLeft } from '../core/format.js';
import { html } from '../core/html.js';
import { may } from '../core/session.js';
import { Disputes } from './disputes.js';
import { Facts } from './facts.js';
import { Flags } from './flags.js';
import { Status } from './status.js';
import { Copyable, Time } from './text.js';
import { nameOf } from './why-values.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/order-page.ts').paymentView>} Payment */
/** @typedef {Payment['refunds'][number]} Refund */
/** @typedef {NonNullable<Payment['failure']>} Failure */

/**
 * @param {object} props
 * @param {Payment} props.payment
 * @param {import('./disputes.js').Dispute[]} props.disputes Of this payment.
 * @param {boolean} props.isOpen At first, then the user opens and closes it.
 * @param {(kind: 'capture' | 'void') => void} props.operate Asks for a capture or void of it.
 */
export function PaymentCard({ payment, disputes, isOpen, operate }) {
  const [isOpenAtFirst] = useState(isOpen);
  const { payment_status, amount, currency, payment_mode, provider_name, refunds } = payment;
  const name = [payment_mode, provider_name].filter(Boolean).join(', ');
  return html`<li class="card order-payment">
    <div class="order-payment-head">
      <h3>${moneyOf(amount, currency) ?? 'Unknown amount'} <${Status} of=${payment_status} /></h3>
      <p class="quiet">${name}</p>
      <p class="quiet when"><${Time} at=${payment.started_at} /></p>
    </div>
    <${FailureWords} failure=${payment.failure} />
    <${Flags} flags=${payment.flags} />
    <${Authorization} payment=${payment} operate=${operate} />
    <${Disputes} disputes=${disputes} />
    ${refunds.length > 0 && html`<${Refunds} refunds=${refunds} total=${payment.refunds_total} />`}
    <details open=${isOpenAtFirst}><summary>Details</summary><${Details} payment=${payment} /></details>
  </li>`;
}

/** @param {{ payment: Payment, operate: (kind: 'capture' | 'void') => void }} props */
function Authorization({ payment, operate }) {
  const { authorization, currency } = payment;
  if (authorization === null) return null;
  const { left_amount, expires_at, can_capture, can_void } = authorization;
  return html`<p>${moneyOf(left_amount, currency)} reserved${expires_at !== null && html`: ${timeLeft(expires_at)}`}.</p>
    ${
      may('operator') &&
      can_void &&
      html`<div class="buttons">
        ${can_capture && html`<button type="button" class="primary" onClick=${() => operate('capture')}>Capture</button>`}
        <button type="button" onClick=${() => operate('void')}>Void</button>
      </div>`
    }`;
}

const origins = {
  checkout: 'Checkout page',
  api: 'API (initiate-payment)',
  provider: 'Provider',
};

/** @param {{ payment: Payment }} props */
function Details({ payment }) {
  const { currency } = payment;
  const details = Object.entries(payment.mode_details ?? {});
  return html`<${Facts} kind="wide" facts=${[
    ['Transaction', html`<${Copyable} text=${payment.transaction_id} label="transaction ID" />`],
    ['Provider ID', payment.psp_transaction_id && html`<code>${payment.psp_transaction_id}</code>`],
    [
      'Provider order',
      payment.provider_order_id && html`<code>${payment.provider_order_id}</code>`,
    ],
    ...details.map(([name, value]) => [nameOf(name), value]),
    [
      'Started from',
      origins[payment.origin] + (payment.given_up ? ', abandoned by the consumer' : ''),
    ],
    ['Finished', payment.finished_at && html`<${Time} at=${payment.finished_at} />`],
    ['Bank reference', payment.arn],
    ['Acquirer', payment.acquirer],
    ['Consumer fee', moneyOf(payment.fee, currency)],
    ['Offer', payment.offer_id],
    ['Discount', moneyOf(payment.offer_discount, currency)],
    ['Voided', payment.voided && sentence(payment.voided)],
    ['Disputed', isPositive(payment.disputed_amount) && moneyOf(payment.disputed_amount, currency)],
    ['Refundable', moneyOf(payment.available_amount, currency)],
    ...payment.operations.map(({ kind, amount, status, at }) => [
      `Requested ${kind}`,
      html`${moneyOf(amount, currency)} ${status}${at !== null && html`, <${Time} at=${at} />`}`,
    ]),
    ...payment.captures.map(({ psp_transaction_id, amount, status, at }) => [
      `Capture ${psp_transaction_id.split('|').at(-1)}`,
      html`${moneyOf(amount, currency)} ${status}${at !== null && html`, <${Time} at=${at} />`}`,
    ]),
  ]} />`;
}

/** @param {{ failure: Failure | null }} props */
function FailureWords({ failure }) {
  if (failure === null) return null;
  const { code, message, consumer_message, retry_allowed } = failure;
  return html`<p class="order-failure"><strong>${sentence(code.toLowerCase())}.</strong> ${message}
    <span class="quiet"> Message to the consumer: “${consumer_message}”</span>
    ${!retry_allowed && html`<span class="quiet"> Retrying will not help.</span>`}</p>`;
}

/** @param {{ refunds: Refund[], total?: number }} props */
export function Refunds({ refunds, total = refunds.length }) {
  return html`<ul class="order-refunds" aria-label="Refunds">${refunds.map(
    (refund) => html`<li key=${refund.transaction_id}>
      <p class="order-refund"><span>Refund of <strong>${moneyOf(refund.amount, refund.currency) ?? 'an unknown amount'}</strong></span>
        <${Status} of=${refund.refund_status} /><span class="quiet"><${Time} at=${refund.started_at} /></span>
        <code class="quiet">${refund.transaction_id}</code></p>
      ${refund.arn !== null && html`<p class="quiet">Bank reference ${refund.arn}</p>`}
      ${refund.parts.length > 0 && html`<p class="quiet">In parts: ${refund.parts.map(({ amount, refund_status }) => `${moneyOf(amount, refund.currency)} ${refund_status}`).join(', ')}</p>`}
      <${FailureWords} failure=${refund.failure} />
      <${Flags} flags=${refund.flags} />
    </li>`,
  )}
    ${total > refunds.length && html`<li class="quiet">The newest ${refunds.length} of ${total} refunds.</li>`}
  </ul>`;
}
