/** What the consumer pays for, the result of the payment, and the way back to the shop. Contract 14.3. */
import { findExponent } from '../../domain/money/currency.ts';
import { parseAmount } from '../../domain/money/money.ts';
import type { ReturnStatus } from '../../domain/order-state/payment-return.ts';
import type { LineItem, Order } from '../../domain/orders/order.ts';
import { findPaymentModeCode } from '../../domain/payment-mode.ts';
import type { Payment } from '../../domain/payments/transaction.ts';
import type { Checkout } from '../../use-cases/checkout/get-checkout.ts';
import { type Html, html } from './html.ts';
import { icons } from './icons.ts';
import { amountText, timeOf } from './language.ts';
import type { Words } from './words/en.ts';

type SummedOrder = Pick<Order, 'amounts' | 'conversion' | 'details' | 'invoiceId' | 'lapsesAt'>;

export function orderSummary(words: Words, order: SummedOrder, isPayable: boolean): Html {
  const { total, currency } = order.amounts;
  const { description } = order.details;
  return html`<section class="card stack summary" aria-labelledby="summary">
<div>
<h2 id="summary" class="quiet">${words.order.summary}</h2>
<p class="amount">${amountText(words, total, currency)}</p>
${description !== undefined && html`<p>${description}</p>`}
</div>
${items(words, order)}
<div>${sums(words, order)}</div>
${isPayable && html`<p class="small quiet">${payBefore(words, order.lapsesAt)}</p>`}
</section>`;
}

function sums(words: Words, { amounts, conversion, invoiceId }: SummedOrder): Html {
  const { beforeTax, tax, total, currency } = amounts;
  const text = (minor: number) => amountText(words, minor, currency);
  const original =
    conversion && amountText(words, conversion.original.total, conversion.original.currency);
  return html`<dl class="sums">
${row(words.order.invoice, invoiceId)}
${tax !== 0 && html`${row(words.order.beforeTax, text(beforeTax))}${row(words.order.tax, text(tax))}`}
${original !== null && row(words.order.original, original)}
<div class="total"><dt>${words.order.total}</dt><dd>${text(total)}</dd></div>
</dl>`;
}

function row(name: string, value: string | Html): Html {
  return html`<div><dt class="quiet">${name}</dt><dd>${value}</dd></div>`;
}

/** The sentence is translated as a whole, so the time stands where the language puts it. */
function payBefore(words: Words, lapsesAt: Date): Html {
  const [before = '', after = ''] = words.order.payBefore('\n').split('\n');
  return html`${before}${timeOf(words, lapsesAt)}${after}`;
}

/** A cart may have thousands, and the page must stay small. */
const itemsMax = 50;

function items(words: Words, { details, amounts, conversion }: SummedOrder): Html | undefined {
  const { lineItems = [] } = details;
  if (lineItems.length === 0) return undefined;
  const more = lineItems.length - itemsMax;
  // Items are stored as the shop sent them, so their prices are in the currency that it sent.
  const { currency } = conversion?.original ?? amounts;
  return html`<details class="items"${lineItems.length <= 5 && html` open`}>
<summary>${words.order.items} (${lineItems.length})</summary>
<ul class="lines">${lineItems.slice(0, itemsMax).map((item) => line(words, item, currency))}
${more > 0 && html`<li class="quiet">${words.order.moreItems(String(more))}</li>`}</ul>
</details>`;
}

function line(words: Words, item: LineItem, currency: string): Html {
  const { title, quantity, totalAmount } = item;
  const price = totalAmount === undefined ? undefined : priceText(words, totalAmount, currency);
  return html`<li><span>${title} <span class="quiet small">${words.order.quantity(String(quantity))}</span></span><span>${price}</span></li>`;
}

/** Undefined for a price that is not an amount of the currency: the sums below are what counts. */
function priceText(words: Words, price: number | string, currency: string): string | undefined {
  const parsed = parseAmount(price, findExponent(currency) ?? 2);
  return parsed.kind === 'amount' ? amountText(words, parsed.minor, currency) : undefined;
}

export type WayBack = {
  /** To the shop, with the signed result where there is a payment. */
  readonly url: string | undefined;
  /** Seconds until the script follows it. */
  readonly afterSeconds?: number;
};

/** Out of a frame: its script hands the result to the page around it. Contract 14.8. */
export const wayOutOfFrame: WayBack = { url: '#leave' };

export function paidView(
  words: Words,
  { order, account }: Checkout,
  { payment, isHeld }: { readonly payment: Payment; readonly isHeld: boolean },
  back: WayBack,
): Html {
  const { paid, reserved } = words;
  const { heading, text, receipt } = isHeld ? reserved : paid;
  return html`<section class="card stack single">
<div class="mark good">${icons.done}</div>
<div role="status" class="stack close"><h1>${heading}</h1><p>${text(account.name)}</p></div>
<div>
<h2>${receipt}</h2>
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
export function resultView(
  words: Words,
  status: ReturnStatus | 'reserved',
  back: WayBack,
  invoiceId?: string,
) {
  const invoice = invoiceId === undefined ? [] : [`${words.order.invoice}: ${invoiceId}`];
  const { paid, reserved, failed, pending } = words;
  switch (status) {
    case 'success':
      return noticeView(words, 'good', paid.heading, [paid.already, ...invoice], back);
    case 'reserved':
      return noticeView(words, 'good', reserved.heading, [reserved.already, ...invoice], back);
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
${back?.afterSeconds !== undefined && countDown(words, back)}
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
