/** A payment is open: how to continue it, that we wait for its result, and how to choose another way to pay. */
import { renderSVG } from 'uqr';
import type { Checkout } from '../../use-cases/checkout/get-checkout.ts';
import type { ViewOptions } from './checkout-form.ts';
import { problemNotice } from './choose-view.ts';
import { type Html, html, trusted } from './html.ts';
import { icons } from './icons.ts';
import { amountText } from './text-of.ts';
import type { Words } from './words/en.ts';

type WaitingStep = Extract<Checkout['step'], { kind: 'waiting' }>;

export function waitingView(
  words: Words,
  checkout: Checkout,
  { payment, isSlow }: WaitingStep,
  { basePath, formKey, problem }: ViewOptions,
): Html {
  const { account, order, attempt, canContinue } = checkout;
  const page = `${basePath}/checkout/${order.orderId}`;
  const launch = `${basePath}/pay/${account.accountId}/${payment.transactionId}`;
  const intentUrl = payment.start?.intentUrl;
  return html`<section class="card stack pay">
${problem && problem !== 'outdated' && problemNotice(words, problem)}
${intentUrl === undefined ? bankHead(words, isSlow, canContinue) : upiHead(words, checkout, intentUrl, isSlow)}
${canContinue && continueLink(words, launch, isSlow, intentUrl !== undefined)}
<p class="small quiet">${words.waiting.stay}</p>
<noscript><a class="button plain" href="${page}">${words.waiting.refresh}</a></noscript>
<form class="stack" method="post" action="${page}/give-up">
<input type="hidden" name="form_key" value="${formKey}">
<input type="hidden" name="attempt" value="${attempt}">
<p class="small quiet">${words.waiting.anotherHint}</p>
<button class="plain">${words.waiting.another}</button>
</form>
</section>`;
}

function bankHead({ waiting }: Words, isSlow: boolean, canContinue: boolean): Html {
  const slowText = canContinue ? waiting.slowText : waiting.slowElsewhere;
  return html`<div class="mark">${icons.wait}</div>
<div role="status" class="stack close"><h1>${isSlow ? waiting.slowHeading : waiting.heading}</h1><p>${isSlow ? slowText : waiting.text}</p></div>`;
}

/** Beside a UPI code it is the second way. */
function continueLink({ upi, waiting }: Words, url: string, isSlow: boolean, isSecond: boolean) {
  const text = isSlow ? waiting.openAgain : waiting.continue;
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
