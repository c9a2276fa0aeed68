/** The result of a payment and the way back to the shop. Contract 14.3. */
import type { ReturnStatus } from '../../domain/order-state/payment-return.ts';
import { findPaymentModeCode } from '../../domain/payment-mode.ts';
import type { Payment } from '../../domain/payments/transaction.ts';
import type { Checkout } from '../../use-cases/checkout/get-checkout.ts';
import { type Html, html } from './html.ts';
import { icons } from './icons.ts';
import { timeOf } from './language.ts';
import { row, sums } from './order-summary.ts';
import type { Words } from './words/en.ts';

export type WayBack = {
  /** To the shop, with the signed result where there is a payment. */
  readonly url: string | undefined;
  /** Seconds until the script follows it. */
  readonly afterSeconds?: number;
};

export function paidView(
  words: Words,
  { order, account }: Checkout,
  payment: Payment,
  back: WayBack,
): Html {
  const { paid } = words;
  return html`<section class="card stack single">
<div class="mark good">${icons.done}</div>
<div role="status" class="stack close"><h1>${paid.heading}</h1><p>${paid.text(account.name)}</p></div>
<div>
<h2>${paid.receipt}</h2>
<dl class="sums">
${payment.finishedAtMs !== null && row(paid.paidOn, timeOf(words, new Date(payment.finishedAtMs)))}
${payment.paymentMode !== null && row(paid.paidWith, modeText(words, payment.paymentMode))}
${row(paid.transaction, payment.transactionId)}
</dl>
${sums(words, order)}
</div>
${back.afterSeconds !== undefined && countDown(words, back)}
${wayBack(words, back)}
<button type="button" class="plain" data-print hidden>${paid.print}</button>
</section>`;
}

/** The result of a payment where the order is not shown. */
export function resultView(words: Words, status: ReturnStatus, back: WayBack, invoiceId?: string) {
  const invoice = invoiceId === undefined ? [] : [`${words.order.invoice}: ${invoiceId}`];
  const { paid, failed, pending } = words;
  switch (status) {
    case 'success':
      return noticeView(words, 'good', paid.heading, [paid.already, ...invoice], back);
    case 'failed':
      return noticeView(words, 'bad', failed.heading, [failed.notCharged, ...invoice], back);
    case 'pending':
      return noticeView(words, 'neutral', pending.heading, [pending.text, ...invoice], back);
    default:
      return status satisfies never;
  }
}

const marks = { good: icons.done, bad: icons.failed, neutral: icons.clock } as const;

export function noticeView(
  words: Words,
  kind: keyof typeof marks,
  heading: string,
  lines: readonly string[],
  back?: WayBack,
): Html {
  return html`<section class="card stack single">
<div class="mark ${kind}">${marks[kind]}</div>
<div role="status" class="stack close"><h1>${heading}</h1>${lines.map((line) => html`<p>${line}</p>`)}</div>
${back && wayBack(words, back)}
</section>`;
}

function wayBack({ back }: Words, { url }: WayBack): Html {
  return url === undefined
    ? html`<p class="quiet no-print">${back.close}</p>`
    : html`<a class="button" href="${url}">${back.toShop}</a>`;
}

/** The script counts in the span. */
function countDown(words: Words, { url, afterSeconds }: WayBack): Html {
  const [before = '', after = ''] = words.paid.returning('\n').split('\n');
  return html`<p class="quiet small no-print" data-return="${afterSeconds}" data-to="${url}">${before}<span>${afterSeconds}</span>${after}</p>`;
}

function modeText({ choose }: Words, shown: string): string {
  const code = findPaymentModeCode(shown);
  return code === undefined ? shown : choose.modes[code];
}
