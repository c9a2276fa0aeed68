/** The ways in which existing clients write an order, turned into those of the contract before validation. Contract 3.18. */
import { renameField } from '../../domain/json/json.ts';

type Fields = Record<string, unknown>;

/** Only where the name of the contract is absent. */
const itemNames = Object.entries({
  sku_id: ['sku', 'referrer_platform_sku_id', 'product_id'],
  title: ['product_name', 'name'],
  rate: ['unit_price', 'price'],
  amount_before_tax: ['subtotal'],
  total_amount: ['total'],
});

const objectNames = [
  'user',
  'shipping_address',
  'billing_address',
  'bank_account',
  'custom_attributes',
];

export function readClientNames(body: unknown): void {
  if (!isFields(body)) return;
  for (const name of objectNames) {
    // PHP writes an empty map as an empty list.
    const value = body[name];
    if (Array.isArray(value) && value.length === 0) body[name] = null;
  }
  const items = body.order_line_items;
  if (!Array.isArray(items)) return;
  for (const item of items) if (isFields(item)) nameItem(item);
}

function nameItem(item: Fields): void {
  for (const [name, others] of itemNames) {
    if (isGiven(item[name])) continue;
    const other = others.find((entry) => isGiven(item[entry]));
    if (other !== undefined) renameField(item, other, name);
  }
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
