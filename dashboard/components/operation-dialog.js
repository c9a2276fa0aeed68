/** Captures or voids an authorised payment. The dialog shows the amount and the time left. Contract 16.8. */
import { useState } from 'preact/hooks';
import { post } from '../core/api.js';
import { money, moneyOf, timeLeft } from '../core/format.js';
import { html } from '../core/html.js';
import { Dialog } from './dialog.js';
import { Field, Form } from './form.js';

/** @typedef {import('./payment-card.js').Payment} Payment */

/**
 * @param {object} props
 * @param {'capture' | 'void'} props.kind
 * @param {string} props.orderId
 * @param {Payment} props.payment
 * @param {() => void} props.close
 * @param {(message: string) => void} props.done
 */
export function OperationDialog({ kind, orderId, payment: given, close, done }) {
  // The page behind goes on refreshing. What was confirmed is what was shown when the dialog was opened.
  const [payment] = useState(given);
  const { transaction_id, authorization, currency } = payment;
  const [amount, setAmount] = useState(authorization?.left_amount ?? '');
  if (!authorization) return null;
  const { left_amount, expires_at, takes_parts, operations_total } = authorization;
  const left = moneyOf(left_amount, currency);
  const isCapture = kind === 'capture';
  const words = /^\d+(\.\d+)?$/.test(amount) ? money(amount, currency ?? '') : '';
  const send = async (/** @type {FormData} */ fields) => {
    const note = String(fields.get('note') ?? '');
    const body = { transaction_id, note, ...(isCapture && takes_parts && { amount }) };
    // The key names the state that the user saw: two clicks, two tabs and a repeat after a lost reply make one.
    const headers = { 'idempotency-key': `${kind} ${transaction_id} ${operations_total}` };
    const path = `/orders/${encodeURIComponent(orderId)}/${kind}s`;
    done((await post(path, body, { headers })).message);
  };
  const onInput = (/** @type {InputEvent} */ event) => {
    if (event.currentTarget instanceof HTMLInputElement)
      setAmount(event.currentTarget.value.trim());
  };
  return html`<${Dialog} title=${isCapture ? 'Capture a payment' : 'Void a payment'} onClose=${close}>
    <p>${left} reserved${expires_at !== null && html`: ${timeLeft(expires_at)}`}. ${
      isCapture
        ? 'The consumer is charged now.'
        : 'It is released, and nothing can be captured any more.'
    }</p>
    <${Form} action=${isCapture ? `Capture ${takes_parts ? words : left}`.trim() : 'Void'}
      isDangerous=${!isCapture} onSend=${send} onCancel=${close}>
      ${
        isCapture &&
        takes_parts &&
        html`<${Field} label=${`Amount in ${currency}`} name="amount"
          hint=${`At most ${left}. The rest stays reserved, and can be captured or voided later.`}
          input=${{ value: amount, inputmode: 'decimal', autocomplete: 'off', required: true, onInput }} />`
      }
      <${Field} label="Note" name="note" hint="Optional. Kept in the audit log."
        input=${{ maxlength: 1_000, autocomplete: 'off' }} />
    </${Form}>
  </${Dialog}>`;
}
