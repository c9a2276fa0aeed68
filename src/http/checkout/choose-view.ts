/** The page of an order that is not paid: the ways to pay as one form, or how an open payment goes on. Contract 14.2. */
import { renderSVG } from 'uqr';
import type { PaymentModeCode } from '../../domain/payment-mode.ts';
import type { Checkout } from '../../use-cases/checkout/get-checkout.ts';
import type { Choice, Chosen, Problem, ViewOptions } from './checkout-form.ts';
import { type Html, html, trusted } from './html.ts';
import { icons, modeIcons } from './icons.ts';
import { amountText } from './language.ts';
import type { Words } from './words/en.ts';

type Offer = Pick<
  Checkout,
  'order' | 'modes' | 'choices' | 'upiCollect' | 'attempt' | 'step' | 'bankAccount' | 'bank'
>;

/** `leaveUrl` is of the shop, for a consumer who does not want to pay. */
export function chooseView(
  words: Words,
  checkout: Offer,
  { basePath, formKey, form, problem }: ViewOptions,
  leaveUrl: string | undefined,
): Html {
  const { modes, order, attempt } = checkout;
  const { total, currency } = order.amounts;
  const hasModes = modes.fast.length + modes.other.length > 0;
  return html`<section class="card stack pay">
${failure(words, checkout)}
${problem && problemNotice(words, problem)}
<p class="amount phone-only">${amountText(words, total, currency)}</p>
<h1>${words.choose.heading}</h1>
${hasModes && payFrom(words, checkout)}
${!hasModes && html`<p>${words.choose.none}</p>`}
${
  hasModes &&
  html`<form class="stack" method="post" action="${basePath}/checkout/${order.orderId}/pay">
<input type="hidden" name="form_key" value="${formKey}">
<input type="hidden" name="attempt" value="${attempt}">
${group(words, checkout, form, modes.fast, words.choose.usedBefore)}
${group(words, checkout, form, modes.other, words.choose.allWays)}
<button data-busy="${words.choose.opening}">${words.choose.pay(amountText(words, total, currency))}</button>
<p class="small quiet">${words.choose.atProvider}</p>
</form>`
}
${leaveUrl !== undefined && leaveLink(words, leaveUrl)}
</section>`;
}

function leaveLink({ back }: Words, url: string): Html {
  return html`<a class="leave quiet" href="${url}">${back.toShop}</a>`;
}

/** An order with a bank account must be paid from it. Contract 3.14. */
function payFrom({ choose }: Words, { bankAccount }: Pick<Offer, 'bankAccount'>): Html | undefined {
  if (!bankAccount) return undefined;
  return html`<p>${choose.payFrom(bankAccount.lastDigits)}</p>`;
}

function problemNotice({ problems }: Words, problem: Problem): Html {
  return html`<div class="notice" role="alert"><p>${problems[problem]}</p></div>`;
}

function failure(words: Words, { step }: Offer): Html | undefined {
  if (step.kind !== 'choose' || !step.failed) return undefined;
  const reason = words.failed.reasons[step.failed.failure?.code ?? 'PAYMENT_FAILED'];
  return html`<div class="notice" role="status"><p><strong>${words.failed.heading}</strong></p><p>${reason}</p></div>`;
}

function group(
  words: Words,
  checkout: Offer,
  sent: Choice,
  codes: readonly PaymentModeCode[],
  title: string,
): Html | undefined {
  if (codes.length === 0) return undefined;
  const { modes } = checkout;
  const isOnly = modes.fast.length === 0;
  const preset = sent.mode ?? modes.fast[0] ?? modes.other[0];
  const rows = codes.map((code) => mode(words, checkout, code, code === preset, sent.chosen));
  return html`<fieldset class="group"><legend${isOnly && html` class="unseen"`}>${title}</legend><div class="modes">${rows}</div></fieldset>`;
}

function mode(
  words: Words,
  checkout: Offer,
  code: PaymentModeCode,
  isChosen: boolean,
  chosen: Chosen,
): Html {
  const more = moreOf(words, checkout, code, chosen);
  return html`<div class="mode"><label>
<input type="radio" name="payment_mode_code" value="${code}" required${isChosen && html` checked`}>
${modeIcons[code]}
<span><strong>${words.choose.modes[code]}</strong><span class="small quiet">${words.choose.hints[code]}</span></span>
</label>${more && html`<div class="more">${more}</div>`}</div>`;
}

function moreOf(
  words: Words,
  { choices, upiCollect, bank }: Offer,
  code: PaymentModeCode,
  chosen: Chosen,
): Html | undefined {
  switch (code) {
    case 'net_banking':
      return picker(
        words,
        'bank_code',
        words.choose.bank,
        choices.net_banking,
        chosen.bank_code ?? bank,
      );
    case 'wallet':
      return picker(words, 'wallet_code', words.choose.wallet, choices.wallet, chosen.wallet_code);
    case 'upi':
      return upiCollect ? upiField(words, chosen.upi_id) : undefined;
    default:
      return undefined;
  }
}

/** A provider without a list of its own asks for the bank on its page. */
function picker(
  words: Words,
  name: string,
  title: string,
  choices: Offer['choices']['wallet'],
  chosen: string | undefined,
): Html | undefined {
  if (choices.length === 0) return undefined;
  const rows = choices.map(
    (choice) =>
      html`<label><input type="radio" name="${name}" value="${choice.code}"${choice.code === chosen && html` checked`}>${choice.name}</label>`,
  );
  return html`<fieldset class="stack" data-picker><legend class="unseen">${title}</legend>
<div class="field" data-search hidden><label class="small" for="search-${name}">${title}</label><input type="search" id="search-${name}" placeholder="${words.choose.search}" autocomplete="off"></div>
<div class="choices" tabindex="-1">${rows}</div>
<p class="small" data-none hidden role="status">${words.choose.noMatch}</p>
</fieldset>`;
}

function upiField(words: Words, value: string | undefined): Html {
  return html`<div class="field"><label for="upi-id">${words.choose.upiId}</label>
<input id="upi-id" name="upi_id" value="${value ?? ''}" inputmode="email" autocapitalize="none" autocomplete="off" spellcheck="false" aria-describedby="upi-hint">
<span class="small quiet" id="upi-hint">${words.choose.upiIdHint}</span></div>`;
}

type WaitingStep = Extract<Checkout['step'], { kind: 'waiting' }>;

export function waitingView(
  words: Words,
  checkout: Checkout,
  { payment, isSlow }: WaitingStep,
  { basePath, formKey, problem, frame }: ViewOptions,
  leaveUrl: string | undefined,
): Html {
  const { account, order, attempt, canContinue } = checkout;
  const page = `${basePath}/checkout/${order.orderId}`;
  const launch = `${basePath}/pay/${account.accountId}/${payment.transactionId}`;
  const intentUrl = payment.start?.intentUrl;
  return html`<section class="card stack pay">
${problem && problem !== 'outdated' && problemNotice(words, problem)}
${intentUrl === undefined ? bankHead(words, isSlow, canContinue) : upiHead(words, checkout, intentUrl, isSlow)}
${frame && canContinue && intentUrl === undefined && html`<p>${words.waiting.window}</p>`}
${payFrom(words, checkout)}
${canContinue && continueLink(words, launch, isSlow, intentUrl !== undefined)}
${!frame && html`<p class="small quiet">${words.waiting.stay}</p>`}
<noscript><a class="button plain" href="${page}">${words.waiting.refresh}</a></noscript>
<form class="stack" method="post" action="${page}/give-up">
<input type="hidden" name="form_key" value="${formKey}">
<input type="hidden" name="attempt" value="${attempt}">
<p class="small quiet">${words.waiting.anotherHint}</p>
<button class="plain">${words.waiting.another}</button>
</form>
${frame && leaveUrl !== undefined && leaveLink(words, leaveUrl)}
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
  return isSecond
    ? html`<a class="button plain" href="${url}">${upi.elsewhere}</a>`
    : html`<a class="button" href="${url}">${text}</a>`;
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
