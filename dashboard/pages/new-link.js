/** "New payment link": an order created by hand, with a short address for the consumer and a code to scan. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Field, Form, Select } from '../components/form.js';
import { Empty, Skeleton } from '../components/states.js';
import { Copyable, Money, Time } from '../components/text.js';
import { ApiError, post } from '../core/api.js';
import { date } from '../core/format.js';
import { html } from '../core/html.js';
import { useLive } from '../core/live.js';
import { hrefOf } from '../core/router.js';
import { may } from '../core/session.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/payment-links.ts').linkView>} Created */

export function Page() {
  const [created, setCreated] = useState(/** @type {Created | undefined} */ (undefined));
  if (!may('operator')) {
    return html`<h1>New payment link</h1><${Empty} title="Your role does not allow this">
      <p>Operators and owners can create payment links.</p></${Empty}>`;
  }
  return html`<p class="order-trail"><a href=${hrefOf('/orders')}>Orders</a></p>
    <h1>${created ? 'Payment link' : 'New payment link'}</h1>
    ${created ? html`<${Result} created=${created} again=${() => setCreated(undefined)} />` : html`<${LinkForm} onCreated=${setCreated} />`}`;
}

/** @param {{ onCreated: (created: Created) => void }} props */
function LinkForm({ onCreated }) {
  // The currency of the newest order is the best guess.
  const live = useLive('/orders?limit=1', { everyMs: 3_600_000 });
  // Chosen once, so that a repeated click asks for the same order.
  const invoice = useMemo(suggestInvoice, []);
  if (live.data === undefined && !live.error) return html`<${Skeleton} />`;
  const currency = live.data?.orders[0]?.currency ?? 'INR';
  const send = async (/** @type {FormData} */ fields) => {
    try {
      onCreated(await post('/payment-links', requestOf(fields)));
    } catch (error) {
      throw error instanceof ApiError ? inWordsOfForm(error) : error;
    }
  };
  return html`<div class="card link-form"><${Form} action="Create link" onSend=${send}>
    <div class="link-amount">
      <${Field} label="Amount" name="total_amount"
        input=${{ required: true, inputmode: 'decimal', autocomplete: 'off', placeholder: '118.00' }} />
      <${Field} label="Currency" name="currency" input=${{ required: true, defaultValue: currency, maxlength: 3, autocomplete: 'off', autocapitalize: 'characters' }} />
    </div>
    <${Field} label="Invoice" name="invoice_id" hint="Your own reference. Each invoice has exactly one order."
      input=${{ required: true, defaultValue: invoice, maxlength: 255, autocomplete: 'off' }} />
    <${Field} label="Description" name="description" hint="What the payment is for. Shown at the checkout."
      input=${{ maxlength: 1024, autocomplete: 'off' }} />
    <${Select} label="Expires" name="expires" options=${expiries()} value="" />
    <fieldset class="link-consumer"><legend>Consumer (optional)</legend>
      <${Field} label="Name" name="name" input=${{ maxlength: 255, autocomplete: 'off' }} />
      <${Field} label="Email" name="email" type="email" input=${{ maxlength: 254, autocomplete: 'off' }} />
      <${Field} label="Phone" name="phone" type="tel" input=${{ maxlength: 32, autocomplete: 'off' }} />
    </fieldset>
  </${Form}></div>`;
}

/** Readable on the phone, and unlike any other. */
function suggestInvoice() {
  const now = new Date();
  const pad = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
  const random = [...crypto.getRandomValues(new Uint8Array(5))];
  return `LINK-${day}-${random.map((byte) => letters[byte % letters.length]).join('')}`;
}

/** The end of a day, so that a repeated click means the same time. */
function endOfDay(/** @type {number} */ days) {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 23, 59, 59);
}

/** @returns {[string, string][]} */
function expiries() {
  return [
    ['', 'After 90 days'],
    ...[1, 3, 7, 30].map(
      (days) =>
        /** @type {[string, string]} */ ([String(days), `At the end of ${date(endOfDay(days))}`]),
    ),
  ];
}

/** @param {FormData} fields */
function requestOf(fields) {
  const { expires, ...others } = Object.fromEntries(
    [...fields].map(([name, value]) => [name, String(value).trim()]),
  );
  const given = Object.entries(others).filter(([, value]) => value !== '');
  return {
    ...Object.fromEntries(given),
    currency: String(others.currency).toUpperCase(),
    ...(expires && { expires_at: endOfDay(Number(expires)).toISOString() }),
  };
}

/** A refusal names a field of the API. */
const labels = Object.entries({
  total_amount: 'Amount',
  currency: 'Currency',
  invoice_id: 'Invoice',
  expires_at: 'The expiry',
  'user.email': 'Email',
  'user.mobile_number': 'Phone',
  'user.country_code': 'The country code of the phone number',
});

/** @param {ApiError} error */
function inWordsOfForm({ status, code, message, retryAfterSeconds }) {
  const [field, label] = labels.find(([name]) => message.startsWith(`${name} `)) ?? ['', ''];
  return new ApiError(status, code, label + message.slice(field.length), retryAfterSeconds);
}

/** @param {{ created: Created, again: () => void }} props */
function Result({ created, again }) {
  const { code, payment_link } = created;
  const frame = useRef(/** @type {HTMLElement | null} */ (null));
  // The form that had the focus is gone.
  useEffect(() => frame.current?.focus(), []);
  return html`<section class="card link-made" tabindex="-1" aria-label="Payment link" ref=${frame}>
    <svg class="link-code" viewBox=${`-4 -4 ${code.size + 8} ${code.size + 8}`} role="img"
      aria-label="QR code of the payment link" shape-rendering="crispEdges"><path d=${code.path} /></svg>
    <div class="stack">
      <p class="figure"><${Money} amount=${created.total_amount} currency=${created.currency} /> <span class="quiet">${created.invoice_id}</span></p>
      <${Copyable} text=${payment_link} label="link" />
      <p class="quiet">Send it to the consumer or let them scan the code. It works until the order is paid, and until <${Time} at=${created.expires_at} /> at the latest.</p>
      <div class="link-next">
        <a href=${hrefOf(`/orders/${created.order_id}`)}>Open order</a>
        <button type="button" onClick=${again}>Create another link</button>
      </div>
    </div>
  </section>`;
}
