/** What was understood of a delivery, and what was received: the inbox and the page of an order show the same. */
import { capital } from '../core/format.js';
import { html } from '../core/html.js';
import { bodyText } from '../core/json-text.js';
import { Facts } from './facts.js';
import { Status } from './status.js';
import { nameOf, valueText } from './why-values.js';

/** @typedef {Record<string, unknown> & { currency?: string }} Notice */
/** @typedef {{ kind: string, why?: string, payment?: Notice | null, refund?: Notice | null, references?: Notice }} Meaning */
/** @typedef {Omit<ReturnType<typeof import('../../src/http/dashboard/inbox.ts').deliveryBodyView>, 'understood'> & { understood: Meaning | null }} Received */

/** @param {{ delivery: Received }} props */
export function Understood({ delivery: { understood } }) {
  if (understood === null) return html`<p class="quiet">Without its body, nothing is known.</p>`;
  const { payment, refund, references, why } = understood;
  if (!payment && !refund) return html`<p>${why ? capital(why) : 'Nothing'}.</p>`;
  return html`${payment && html`<h4>Payment</h4><${NoticeFacts} notice=${payment} />`}
    ${refund && html`<h4>Refund</h4><${NoticeFacts} notice=${refund} />`}
    ${references && html`<h4>References</h4><${NoticeFacts} notice=${references} />`}`;
}

/** @param {{ notice: Notice }} props */
function NoticeFacts({ notice }) {
  const { currency = null } = notice;
  const facts = Object.entries(notice)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [
      nameOf(name),
      name === 'status'
        ? html`<${Status} of=${String(value)} />`
        : valueText(name, value, currency),
    ]);
  return html`<${Facts} facts=${facts} />`;
}

/** @param {{ delivery: Received }} props */
export function ReceivedBody({ delivery: { body, headers, erased } }) {
  if (body === null) {
    return html`<p class="quiet">The body was deleted after the retention period.</p>`;
  }
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return html`<p class="quiet">Personal data is masked.${erased && ' Some of it was erased.'}</p>
    <pre class="block" tabindex="0" role="group" aria-label="Body">${bodyText(body)}</pre>
    <details><summary>Headers</summary>
      <pre class="block" tabindex="0" role="group" aria-label="Headers">${lines.join('\n')}</pre></details>`;
}
