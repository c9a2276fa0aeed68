/** Asks for the amount of a refund, and shows how the refund goes on. Contract 13.5. */
import { useState } from 'preact/hooks';
import { ApiError, post } from '../core/api.js';
import { isPositive, money, moneyOf, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { hrefOf, withQuery } from '../core/router.js';
import { Dialog } from './dialog.js';
import { Field, Form, Select } from './form.js';

/** @typedef {import('./payment-card.js').Payment} Payment */
/** @typedef {import('./payment-card.js').Refund} Refund */

/**
 * @param {object} props
 * @param {string} props.orderId
 * @param {Payment[]} props.payments Those that can be refunded, as they were when the dialog was opened.
 * @param {() => void} props.close
 * @param {(refundId: string, words: string) => void} props.done
 */
export function RefundDialog({ orderId, payments: given, close, done }) {
  // The page behind goes on refreshing. What was confirmed is what was shown when the dialog was opened.
  const [payments] = useState(given);
  const [chosen, setChosen] = useState(payments[0]);
  const [amount, setAmount] = useState(chosen?.available_amount ?? '');
  if (!chosen) return null;
  const currency = chosen.currency ?? '';
  const words = /^\d+(\.\d+)?$/.test(amount) ? money(amount, currency) : '';
  const choose = (/** @type {string} */ id) => {
    const payment = payments.find(({ transaction_id }) => transaction_id === id);
    setChosen(payment);
    setAmount(payment?.available_amount ?? '');
  };
  const send = async (/** @type {FormData} */ fields) => {
    const made = await requestRefund(orderId, chosen, amount, String(fields.get('note') ?? ''));
    done(made.transaction_id, words);
  };
  return html`<${Dialog} title="Refund a payment" onClose=${close}>
    <${Form} action=${`Refund ${words}`.trim()} onSend=${send} onCancel=${close}>
      ${
        payments.length > 1 &&
        html`<${Select} label="Payment" name="payment" value=${chosen.transaction_id} onChange=${choose}
          options=${payments.map((each) => [each.transaction_id, nameOf(each)])} />`
      }
      <${Field} label=${`Amount in ${currency}`} name="amount"
        hint=${`At most ${moneyOf(chosen.available_amount, currency)}.${disputedWords(chosen)} It goes back to the consumer ${wayOf(chosen)}.`}
        input=${{
          value: amount,
          inputmode: 'decimal',
          autocomplete: 'off',
          required: true,
          onInput: (/** @type {InputEvent} */ event) => {
            if (event.currentTarget instanceof HTMLInputElement) {
              setAmount(event.currentTarget.value.trim());
            }
          },
        }} />
      <${Field} label="Note" name="note" hint="Optional. Kept in the audit log."
        input=${{ maxlength: 1_000, autocomplete: 'off' }} />
    </${Form}>
  </${Dialog}>`;
}

/** @param {Payment} payment */
function nameOf(payment) {
  const { available_amount, currency, flags } = payment;
  const flagged = flags.filter(({ resolved_at }) => resolved_at === null).map(({ flag }) => flag);
  const marks = flagged.length > 0 ? ` (${flagged.map(sentence).join(', ').toLowerCase()})` : '';
  return `${moneyOf(available_amount, currency)} ${wayOf(payment)}${marks}`;
}

/** @param {Payment} payment */
function disputedWords({ disputed_amount, currency }) {
  return isPositive(disputed_amount)
    ? ` ${moneyOf(disputed_amount, currency)} more is disputed: a refund of it would lose it twice.`
    : '';
}

/** @param {Payment} payment */
function wayOf({ payment_mode, provider_name }) {
  return payment_mode === null
    ? `through ${provider_name}`
    : `by ${payment_mode}, through ${provider_name}`;
}

/**
 * The key names the state that the user saw: two clicks, two tabs and a repeat after a lost reply make one refund. The
 * sum of refunds that was shown is compared with that of now, so a refund of the shop's server meanwhile refuses this
 * one. See docs/decisions/0048.
 * @param {string} orderId
 * @param {Payment} payment
 * @param {string} amount
 * @param {string} note
 */
async function requestRefund(orderId, payment, amount, note) {
  const { transaction_id, refunds_total, refunded_so_far } = payment;
  try {
    return await post(
      `/orders/${encodeURIComponent(orderId)}/refunds`,
      { transaction_id, refund_amount: amount, refunded_so_far, note },
      { headers: { 'idempotency-key': `${transaction_id} ${refunds_total}` } },
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') throw error;
    const text =
      'This payment was refunded in the meantime, in another tab or by somebody else. Close this and look at its refunds first.';
    throw new ApiError(error.status, error.code, text);
  }
}

/**
 * The refund that was just requested. The page refreshes by itself, so this moves on until the refund is final.
 * @param {{ refund: Refund | undefined }} props
 */
export function RefundProgress({ refund }) {
  // The region is there before its text, so that screen readers announce each change.
  return html`<div role="status" class=${refund ? 'card order-progress' : 'unseen'}>${refund && html`<${Steps} refund=${refund} />`}</div>`;
}

/** @param {{ refund: Refund }} props */
function Steps({ refund }) {
  const { refund_status: status, amount, currency, call, failure } = refund;
  const isFailed = status === 'failed';
  const isOver = status === 'succeeded' || isFailed;
  const isSent = isOver || call === 'taken';
  const steps = [
    { text: 'Requested', isDone: true },
    { text: 'Sent to the provider', isDone: isSent },
    { text: isFailed ? 'Failed' : 'Money returned', isDone: isOver, isFailed },
  ];
  const current = steps.findIndex(({ isDone }) => !isDone);
  return html`<p><strong>Refund of ${moneyOf(amount, currency)}: ${status}.</strong>
      ${status === 'pending' && ' The provider has not finished it yet. This refreshes by itself.'}
      ${failure && ` ${failure.message}`}</p>
    <ol class="order-steps">${steps.map(
      (step, index) => html`<li key=${index} class=${classOf(step)}
        aria-current=${index === current ? 'step' : undefined}>${step.text}</li>`,
    )}</ol>
    ${isOver && html`<p><a href=${hrefOf(withQuery({ refund: null }))}>Dismiss</a></p>`}`;
}

/** @param {{ isDone: boolean, isFailed?: boolean }} step */
function classOf({ isDone, isFailed }) {
  if (!isDone) return '';
  return isFailed ? 'done bad' : 'done';
}
