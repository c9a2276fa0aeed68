/** Disputes: what is claimed, until when the shop may answer, and what to do in each state. Contract 17. */
import { moneyOf, sentence } from '../core/format.js';
import { html } from '../core/html.js';
import { hrefOf } from '../core/router.js';
import { Deadline } from './deadline.js';
import { Status } from './status.js';

/** @typedef {ReturnType<typeof import('../../src/http/dashboard/view-parts.ts').disputeView>} Dispute */

/** @param {Pick<Dispute, 'amount' | 'currency'>} dispute */
export function claimOf({ amount, currency }) {
  return moneyOf(amount, currency) ?? 'an unknown amount';
}

/** @param {Pick<Dispute, 'reason' | 'reason_code'>} dispute */
export function reasonOf({ reason, reason_code }) {
  return reason ?? (reason_code === null ? 'No reason given' : sentence(reason_code));
}

/** @param {Pick<Dispute, 'dispute_id'>} dispute */
export function evidenceHref({ dispute_id }) {
  return hrefOf(`/disputes/${encodeURIComponent(dispute_id)}`);
}

/**
 * What is at stake and until when, in the list of the review and on the overview.
 * @param {{ claim: { amount: string | null, currency: string | null, respond_by: string | Date | null } }} props
 */
export function Claim({ claim }) {
  const { respond_by } = claim;
  return html`<p class="claim"><strong>${claimOf(claim)}</strong>, answer until${' '}
    <${Deadline} at=${respond_by && String(respond_by)} /></p>`;
}

/**
 * What waits for the shop, above everything else on the page of its order.
 * @param {{ disputes: Dispute[] }} props
 */
export function DisputeBanner({ disputes }) {
  const waiting = disputes.filter(({ waits_for_shop }) => waits_for_shop);
  if (waiting.length === 0) return null;
  return html`<ul class="dispute-banner" aria-label="Disputes to answer">${waiting.map(
    (dispute) => html`<li key=${dispute.dispute_id}>
      <p><strong>The consumer disputes ${claimOf(dispute)}.</strong> ${reasonOf(dispute)}</p>
      <p>Answer until <${Deadline} at=${dispute.respond_by} /></p>
      <p>${adviceOf(dispute)} <a href=${evidenceHref(dispute)}>Evidence for the answer</a></p>
    </li>`,
  )}</ul>`;
}

/** @param {{ disputes: Dispute[] }} props Of one payment. The banner of the page says what to do about those that wait. */
export function Disputes({ disputes }) {
  if (disputes.length === 0) return null;
  return html`<ul class="order-refunds" aria-label="Disputes">${disputes.map(
    (dispute) => html`<li key=${dispute.dispute_id}>
      <p class="order-refund"><span>Dispute of <strong>${claimOf(dispute)}</strong></span>
        <${Status} of=${dispute.status} />
        ${dispute.phase !== null && html`<span class="quiet">${sentence(dispute.phase)}</span>`}
        <code class="quiet">${dispute.dispute_id}</code></p>
      <p class="quiet">${reasonOf(dispute)}</p>
      <p>${dispute.waits_for_shop ? html`<${Deadline} at=${dispute.respond_by} />` : adviceOf(dispute)} <a href=${evidenceHref(dispute)}>Evidence</a></p>
    </li>`,
  )}</ul>`;
}

/** @param {Dispute} dispute */
export function adviceOf(dispute) {
  if (dispute.waits_for_shop) {
    if (dispute.respond_by !== null && Date.parse(dispute.respond_by) <= Date.now()) {
      return 'Ask the provider whether it still takes an answer: the deadline has passed. Do not refund the payment as well.';
    }
    return 'Send the evidence at the provider before the deadline, or accept the dispute there. Do not refund the payment as well.';
  }
  switch (dispute.status) {
    case 'under_review':
      return 'The bank decides. Until then the amount cannot be refunded.';
    case 'lost':
      return `The money is gone${deductedOf(dispute)}. Book the loss; nothing else is left to do.`;
    case 'won':
      return 'The bank decided for you. The amount is free again.';
    default:
      return 'It ended without a decision. The amount is free again.';
  }
}

/** @param {Dispute} dispute */
function deductedOf({ amount_deducted, currency }) {
  const deducted = moneyOf(amount_deducted, currency);
  return deducted === null ? '' : `: ${deducted} was deducted`;
}
