/** What the consumer pays for: the amount, the items and the sums. */
import { findExponent } from '../../domain/money/currency.ts';
import { parseAmount } from '../../domain/money/money.ts';
import type { LineItem, Order } from '../../domain/orders/order.ts';
import { type Html, html } from './html.ts';
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

export function sums(words: Words, { amounts, conversion, invoiceId }: SummedOrder): Html {
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

export function row(name: string, value: string | Html): Html {
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
