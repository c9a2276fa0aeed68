/** The page on which the consumer pays, the same for both providers. */
import { type Html, html, page } from './html.ts';
import { amountText } from './money.ts';

export type PaymentPage = {
  readonly provider: string;
  readonly shopName: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
  readonly actUrl: string;
  /** The result of earlier attempts. */
  readonly isPaid: boolean;
  readonly failure?: string;
};

export function paymentPage(view: PaymentPage): string {
  const body = view.isPaid ? html`<p class="note">This payment is complete.</p>` : buttons(view);
  return page(`Pay ${view.shopName}`, frame(view, body));
}

export function resultPage(view: PaymentPage): string {
  const outcome = view.isPaid ? 'Payment complete' : 'Payment not made';
  const why = view.failure ? html`<p class="note">${view.failure}</p>` : undefined;
  const hint = html`<p class="dim">You can close this page and return to the shop.</p>`;
  return page(outcome, frame(view, html`<h2>${outcome}</h2>${why ?? html``}${hint}`));
}

export function messagePage(title: string, message: string): string {
  return page(title, html`<main><h1>${title}</h1><p>${message}</p></main>`);
}

function frame(view: PaymentPage, body: Html): Html {
  return html`<main>
<p class="dim">${view.provider} · simulated, no money moves</p>
<h1>${view.shopName}</h1>
<p class="amount">${amountText(view)}</p>
${body}
<p class="dim">Reference ${view.reference}</p>
</main>`;
}

function buttons({ actUrl, failure }: PaymentPage): Html {
  const before = failure ? html`<p class="note">The last try failed: ${failure}</p>` : html``;
  return html`${before}<form method="post" action="${actUrl}">
<button class="go" name="action" value="pay">Pay</button>
<button name="action" value="decline">Decline</button>
<button name="action" value="cancel">Cancel</button>
</form>`;
}
