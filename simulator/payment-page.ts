/** The page on which the consumer pays, the same for both providers but for their colours. */
import type { FastifyReply } from 'fastify';
import { type Html, html, page, pageHeaders } from './html.ts';
import { amountText } from './money.ts';

export type PaymentPage = {
  readonly provider: string;
  readonly brand: 'partner' | 'gateway';
  readonly shopName: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
  /** How the consumer pays, in words. */
  readonly method: string;
  /** The last digits of the account that the consumer must pay from. */
  readonly payFrom?: string;
  readonly actUrl: string;
  /** The result of earlier attempts. */
  readonly isPaid: boolean;
  readonly failure?: string;
};

export function paymentPage(view: PaymentPage): string {
  const body = view.isPaid
    ? html`${facts(view)}<p class="note">This payment is complete.</p>`
    : buttons(view);
  return page(`Pay ${view.shopName}`, frame(view, body));
}

export function resultPage(view: PaymentPage): string {
  const outcome = view.isPaid ? 'Payment complete' : 'Payment not made';
  return page(outcome, frame(view, html`${result(outcome, view)}${facts(view)}`));
}

export function refuse(reply: FastifyReply, status: number, why: string): FastifyReply {
  const title = 'This is not possible';
  const message = page(title, html`<main><h1>${title}</h1><p>${why}</p></main>`);
  return reply.code(status).headers(pageHeaders).send(message);
}

/** The outcome, with a sign beside the words. */
export function result(
  outcome: string,
  { isPaid, failure }: { readonly isPaid: boolean; readonly failure?: string },
): Html {
  const sign = isPaid
    ? html`<span class="sign good">${icon('done')}</span>`
    : html`<span class="sign bad">${icon('failed')}</span>`;
  const why = failure ? html`<p>${failure}</p>` : html``;
  return html`<div class="result">${sign}<h2>${outcome}</h2>${why}
<p class="dim">You can close this page and return to the shop.</p></div>`;
}

function frame(view: PaymentPage, body: Html): Html {
  return html`<main class="${view.brand}">
<p class="brand"><span class="mark">${icon(view.brand)}</span> ${view.provider} <span class="dim">Simulated</span></p>
<h1>${view.shopName}</h1>
<p class="amount">${amountText(view)}</p>
${body}
</main>`;
}

function facts({ method, reference }: PaymentPage): Html {
  return html`<dl class="facts">
<dt>Pay by</dt><dd>${method}</dd>
<dt>Reference</dt><dd class="code">${reference}</dd>
</dl>`;
}

function buttons(view: PaymentPage): Html {
  const { actUrl, failure, payFrom } = view;
  const before = failure ? html`<p class="note bad">The last try failed: ${failure}</p>` : html``;
  return html`${facts(view)}${before}<form method="post" action="${actUrl}">
${payButtons('Pay', payFrom)}
<button name="action" value="decline">Decline</button>
<button class="plain" name="action" value="cancel">Cancel</button>
</form>
<p class="dim">Decline answers as a bank that refuses the payment. Cancel goes back to the shop.</p>`;
}

/** For an order that must be paid from one account, the tester chooses the account. */
export function payButtons(label: string, payFrom: string | undefined): Html {
  if (payFrom === undefined) {
    return html`<button class="go" name="action" value="pay">${label}</button>`;
  }
  return html`<button class="go" name="action" value="pay">${label} from the account ending in ${payFrom}</button>
<button name="action" value="pay-from-another">${label} from another account</button>`;
}

/** Small drawings in the page itself, because pages load nothing. They repeat what the text says, so they are hidden. */
const drawings = {
  partner: 'M13 2 4 14h7l-1 8 10-13h-7z',
  gateway: 'M3 10 12 4l9 6M5 10v8m5-8v8m4-8v8m5-8v8M3 20h18',
  upi: 'M7 2h10a1 1 0 0 1 1 1v18a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zm4 17h2',
  done: 'm5 12.5 4.5 4.5L19 7',
  failed: 'M6 6l12 12M18 6 6 18',
} as const;

export function icon(name: keyof typeof drawings): Html {
  return html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${drawings[name]}"/></svg>`;
}
