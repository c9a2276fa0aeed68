/**
 * Checks the arithmetic of cart items. Items are stored as sent, except that numbers which no double
 * represents exactly get a form that can be stored.
 */
import { refuseField } from '../errors.ts';
import { getExponent } from '../money/currency.ts';
import {
  type Decimal,
  formatAmount,
  formatDecimal,
  type MinorUnits,
  majorNumber,
  multiplyToMinor,
  type NumberText,
  parseDecimal,
  parseSentAmount,
  readSentAmount,
  type SentAmount,
} from '../money/money.ts';
import type { Amounts, LineItem, SentDetails, SentLineItem, StoredNumber } from './order.ts';

type CheckedItem = ReturnType<typeof checkItem>;

/** Refuses items with invalid numbers, and on request items that do not add up. */
export function checkLineItems(details: SentDetails, order: Amounts) {
  const { lineItems, validateOrderLineItem } = details;
  if (!lineItems) return undefined;
  const exponent = getExponent(order.currency);
  const checked = lineItems.map((item, index) => checkItem(item, index, exponent));
  if (validateOrderLineItem) checkArithmetic(checked, order, exponent);
  return {
    stored: lineItems.map((item) => toStoredItem(item, exponent)),
    /** Equal items have equal canonical forms: numbers are compared by value. */
    canonical: checked.map(canonicalItem),
  };
}

function checkItem(item: SentLineItem, index: number, exponent: number) {
  const at = `order_line_items[${index}]`;
  const quantity = readDecimal(`${at}.quantity`, item.quantity);
  if (quantity === undefined || quantity.digits === 0n) {
    refuseField(`${at}.quantity`, 'must be more than 0');
  }
  const checked = {
    item,
    at,
    quantity,
    rate: readPrice(`${at}.rate`, item.rate, exponent),
    amountBeforeTax: readPrice(`${at}.amount_before_tax`, item.amountBeforeTax, exponent),
    tax: readPrice(`${at}.tax`, item.tax, exponent),
    totalAmount: readPrice(`${at}.total_amount`, item.totalAmount, exponent),
  };
  if (!checked.rate && !checked.totalAmount) {
    refuseField(`${at}.rate`, 'is missing: send rate or total_amount of the item');
  }
  return checked;
}

/** Reads an amount of the currency, or any decimal: a rate may have more decimals than the currency. */
function readPrice(field: string, input: SentAmount | undefined, exponent: number) {
  // A whole number has no floating-point rounding error.
  if (Number.isSafeInteger(input)) return readDecimal(field, input);
  const outcome = input === undefined ? undefined : parseSentAmount(input, exponent);
  return outcome?.kind === 'amount'
    ? parseDecimal(formatAmount(outcome.minor, exponent))
    : readDecimal(field, input);
}

function readDecimal(field: string, input: SentAmount | undefined): Decimal | undefined {
  if (input === undefined) return undefined;
  return parseDecimal(input) ?? refuseField(field, 'must be a non-negative decimal number');
}

/** With `validate_order_line_item`, each item must add up, and their sums must equal the order's. Contract 3.4. */
function checkArithmetic(items: readonly CheckedItem[], order: Amounts, exponent: number): void {
  const amounts = items.map((item) => itemAmounts(item, exponent));
  for (const [name, field] of summedFields) {
    const sum = amounts.reduce((total, item) => total + item[name], 0);
    if (sum !== order[name]) {
      refuseField('order_line_items', `must add up: the sum of ${field} is not that of the order`);
    }
  }
}

const summedFields = [
  ['beforeTax', 'amount_before_tax'],
  ['tax', 'tax'],
  ['total', 'total_amount'],
] as const;

function itemAmounts({ item, at, rate, quantity }: CheckedItem, exponent: number) {
  const read = (name: string, input: SentAmount | undefined) =>
    input === undefined ? undefined : readSentAmount(`${at}.${name}`, input, exponent);
  const tax = read('tax', item.tax) ?? 0;
  const sentTotal = read('total_amount', item.totalAmount);
  if (sentTotal !== undefined && tax > sentTotal) {
    refuseField(`${at}.tax`, 'is more than total_amount of the item');
  }
  const byRate = rate && multiplyToMinor(rate, quantity, exponent);
  const beforeTax =
    read('amount_before_tax', item.amountBeforeTax) ?? byRate ?? (sentTotal as MinorUnits) - tax;
  if (byRate !== undefined && byRate !== beforeTax) {
    refuseField(`${at}.amount_before_tax`, 'must be rate times quantity');
  }
  const total = sentTotal ?? beforeTax + tax;
  if (total !== beforeTax + tax) {
    refuseField(`${at}.total_amount`, 'must be amount_before_tax plus tax');
  }
  return { beforeTax, tax, total };
}

/** A number that no double represents exactly is stored as the amount it stands for, or as decimal text. */
function toStoredItem(item: SentLineItem, exponent: number): LineItem {
  const names = Object.keys(item) as (keyof SentLineItem)[];
  if (!names.some((name) => typeof item[name] === 'object')) return item as LineItem;
  const stored = names.map((name) => {
    const value = item[name];
    return [name, typeof value === 'object' ? toStoredNumber(value, exponent) : value];
  });
  return Object.fromEntries(stored) as LineItem;
}

function toStoredNumber(sent: NumberText, exponent: number): StoredNumber {
  const outcome = parseSentAmount(sent, exponent);
  if (outcome.kind === 'amount') return majorNumber(outcome.minor, exponent);
  const decimal = parseDecimal(sent);
  return decimal ? formatDecimal(decimal) : sent.numberText;
}

function canonicalItem({ item, ...checked }: CheckedItem): unknown {
  const { skuId, title, description, imageUrl } = item;
  const { rate, quantity, amountBeforeTax, tax, totalAmount } = checked;
  const numbers = [rate, quantity, amountBeforeTax, tax, totalAmount];
  const decimals = numbers.map((value) => value && `${value.digits}/${value.scale}`);
  return [skuId, title, description, imageUrl, ...decimals];
}
