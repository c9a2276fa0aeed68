/** The page on which the consumer pays, the same for both providers but for their colours. */
import { type Html, html, page } from './html.ts';
import { icon } from './icons.ts';
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

export function messagePage(title: string, message: string): string {
  return page(title, html`<main><h1>${title}</h1><p>${message}</p></main>`);
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
  const { actUrl, failure } = view;
  const before = failure ? html`<p class="note bad">The last try failed: ${failure}</p>` : html``;
  return html`${facts(view)}${before}<form method="post" action="${actUrl}">
<button class="go" name="action" value="pay">Pay</button>
<button name="action" value="decline">Decline</button>
<button class="plain" name="action" value="cancel">Cancel</button>
</form>
<p class="dim">Decline answers as a bank that refuses the payment. Cancel goes back to the shop.</p>`;
}
