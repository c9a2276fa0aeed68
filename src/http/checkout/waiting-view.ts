/** A payment is open: how to continue it, that we wait for its result, and how to choose another way to pay. */
import { renderSVG } from 'uqr';
import type { Checkout } from '../../use-cases/checkout/get-checkout.ts';
import { type Html, html, trusted } from './html.ts';
import { icons } from './icons.ts';
import { amountText } from './text-of.ts';
import type { Words } from './words/words.ts';

type WaitingForms = {
  readonly giveUpAction: string;
  readonly formKey: string;
  /** Our page that leads to the provider's page. */
  readonly continueUrl: string | undefined;
  readonly intentUrl: string | undefined;
  /** True if the consumer may wonder what to do, because nothing happens. */
  readonly isSlow: boolean;
  /** The address of this page. */
  readonly ownUrl: string;
  readonly problem: string | undefined;
};

export function waitingView(words: Words, checkout: Checkout, forms: WaitingForms): Html {
  const { intentUrl, problem } = forms;
  return html`<section class="card stack pay">
${problem !== undefined && html`<div class="notice" role="alert"><p>${problem}</p></div>`}
${intentUrl === undefined ? bankHead(words, forms) : upiHead(words, checkout, intentUrl, forms.isSlow)}
${forms.continueUrl !== undefined && continueLink(words, forms.continueUrl, forms)}
<p class="small quiet">${words.waiting.stay}</p>
<noscript><a class="button plain" href="${forms.ownUrl}">${words.waiting.refresh}</a></noscript>
<form class="stack" method="post" action="${forms.giveUpAction}">
<input type="hidden" name="form_key" value="${forms.formKey}">
<input type="hidden" name="attempt" value="${checkout.attempt}">
<p class="small quiet">${words.waiting.anotherHint}</p>
<button class="plain">${words.waiting.another}</button>
</form>
</section>`;
}

function bankHead({ waiting }: Words, { isSlow, continueUrl }: WaitingForms): Html {
  const slowText = continueUrl === undefined ? waiting.slowElsewhere : waiting.slowText;
  return html`<div class="mark">${icons.wait}</div>
<div role="status" class="stack close"><h1>${isSlow ? waiting.slowHeading : waiting.heading}</h1><p>${isSlow ? slowText : waiting.text}</p></div>`;
}

function continueLink({ upi, waiting }: Words, url: string, forms: WaitingForms): Html {
  const isSecond = forms.intentUrl !== undefined;
  const text = forms.isSlow ? waiting.openAgain : waiting.continue;
  return html`<a class="button${isSecond && html` plain`}" href="${url}">${isSecond ? upi.elsewhere : text}</a>`;
}

/** A link for the phone that shows this page, and the code for another device. On wide screens the code comes first. */
function upiHead(words: Words, checkout: Checkout, intentUrl: string, isSlow: boolean): Html {
  const { total, currency } = checkout.order.amounts;
  const amount = amountText(words, total, currency);
  const label = words.upi.codeLabel(amount, checkout.account.name);
  const code = renderSVG(intentUrl, { ecc: 'M', border: 0 });
  return html`<p class="amount phone-only">${amount}</p>
<h1>${words.upi.heading}</h1>
<div class="stack upi">
<a class="button" href="${intentUrl}">${words.upi.openApp}</a>
<div class="stack scan">
<p class="wide-only">${words.upi.scan}</p>
<p class="phone-only">${words.upi.scanElsewhere}</p>
<div class="code" role="img" aria-label="${label}">${trusted(code)}</div>
</div>
</div>
<p role="status" class="quiet">${isSlow ? words.upi.slow : words.waiting.text}</p>`;
}
