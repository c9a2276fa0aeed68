/** The arithmetic of cart items. Items are kept as sent; they are only checked here. */
import { getExponent } from './currency.ts';
import { refuseMember } from './errors.ts';
import {
  type Decimal,
  type MinorUnits,
  multiplyToMinor,
  parseAmount,
  parseDecimal,
} from './money.ts';
import type { Amounts, LineItem, OrderDetails, SentNumber } from './order.ts';

type CheckedItem = {
  readonly quantity: Decimal;
  readonly rate?: Decimal;
  readonly amountBeforeTax?: Decimal;
  readonly tax?: Decimal;
  readonly totalAmount?: Decimal;
};

/** Refuses items that cannot be; returns them in canonical form, numbers by value. */
export function checkLineItems(details: OrderDetails, order: Amounts): unknown {
  const { lineItems, validateOrderLineItem } = details;
  if (!lineItems) return null;
  if (lineItems.length === 0)
    refuseMember('order_line_items', 'is empty: send at least one cart item');
  const checked = lineItems.map(checkItem);
  if (validateOrderLineItem) checkArithmetic(lineItems, checked, order);
  return lineItems.map((item, index) => canonicalItem(item, checked[index] as CheckedItem));
}

function checkItem(item: LineItem, index: number): CheckedItem {
  const at = `order_line_items[${index}]`;
  const quantity = readDecimal(`${at}.quantity`, item.quantity);
  if (quantity === undefined || quantity.digits === 0n) {
    refuseMember(`${at}.quantity`, 'must be more than 0');
  }
  const checked = {
    quantity,
    rate: readDecimal(`${at}.rate`, item.rate),
    amountBeforeTax: readDecimal(`${at}.amount_before_tax`, item.amountBeforeTax),
    tax: readDecimal(`${at}.tax`, item.tax),
    totalAmount: readDecimal(`${at}.total_amount`, item.totalAmount),
  };
  if (!checked.rate && !checked.totalAmount) {
    refuseMember(`${at}.rate`, 'is missing: send rate or total_amount of the item');
  }
  return checked;
}

function readDecimal(member: string, input: SentNumber | undefined): Decimal | undefined {
  if (input === undefined) return undefined;
  return parseDecimal(input) ?? refuseMember(member, 'must be a non-negative decimal number');
}

/** Decision 3.4: with `validate_order_line_item`, each item and their sum agree with the order. */
function checkArithmetic(
  items: readonly LineItem[],
  checked: readonly CheckedItem[],
  order: Amounts,
): void {
  const sum = { beforeTax: 0, tax: 0, total: 0 };
  for (const [index, item] of items.entries()) {
    const amounts = itemAmounts(
      `order_line_items[${index}]`,
      item,
      checked[index] as CheckedItem,
      order,
    );
    sum.beforeTax += amounts.beforeTax;
    sum.tax += amounts.tax;
    sum.total += amounts.total;
  }
  if (sum.beforeTax !== order.beforeTax) {
    refuseMember(
      'order_line_items',
      'must add up: the sum of amount_before_tax is not that of the order',
    );
  }
  if (sum.tax !== order.tax) {
    refuseMember('order_line_items', 'must add up: the sum of tax is not that of the order');
  }
  if (sum.total !== order.total) {
    refuseMember(
      'order_line_items',
      'must add up: the sum of total_amount is not that of the order',
    );
  }
}

function itemAmounts(at: string, item: LineItem, checked: CheckedItem, order: Amounts) {
  const exponent = getExponent(order.currency);
  const read = (name: string, input: SentNumber | undefined): MinorUnits | undefined => {
    if (input === undefined) return undefined;
    const outcome = parseAmount(input, exponent);
    return outcome.kind === 'amount' ? outcome.minor : refuseMember(`${at}.${name}`, outcome.why);
  };
  const tax = read('tax', item.tax) ?? 0;
  const sentTotal = read('total_amount', item.totalAmount);
  if (sentTotal !== undefined && tax > sentTotal) {
    refuseMember(`${at}.tax`, 'is more than total_amount of the item');
  }
  const byRate = checked.rate && multiplyToMinor(checked.rate, checked.quantity, exponent);
  const beforeTax =
    read('amount_before_tax', item.amountBeforeTax) ?? byRate ?? (sentTotal as MinorUnits) - tax;
  if (byRate !== undefined && byRate !== beforeTax) {
    refuseMember(`${at}.amount_before_tax`, 'must be rate times quantity');
  }
  const total = sentTotal ?? beforeTax + tax;
  if (total !== beforeTax + tax) {
    refuseMember(`${at}.total_amount`, 'must be amount_before_tax plus tax');
  }
  return { beforeTax, tax, total };
}

function canonicalItem(item: LineItem, checked: CheckedItem): unknown {
  const decimal = (value: Decimal | undefined) => value && `${value.digits}/${value.scale}`;
  return [
    item.skuId,
    item.title,
    item.description,
    item.imageUrl,
    decimal(checked.rate),
    decimal(checked.quantity),
    decimal(checked.amountBeforeTax),
    decimal(checked.tax),
    decimal(checked.totalAmount),
  ];
}
