/** The body of create order for a planned order. Amounts are whole minor units until the end. */
import { majorText } from '../../../simulator/money.ts';
import type { PlannedOrder } from './plan-orders.ts';

/** Minor units for one rupee of the price list. Abroad, a price includes customs and the parcel. */
const rates = { INR: 100, USD: 2.4, EUR: 2.2 } as const;
/** GST on packaged tea. */
const taxPercent = 5;

export function orderBody({ invoice, consumer, items }: PlannedOrder) {
  const { currency, firstName, lastName, email, countryCode, mobile } = consumer;
  const lines = items.map((item) => ({
    ...item,
    minor: Math.round(item.price * rates[currency]) * item.quantity,
  }));
  const total = lines.reduce((sum, { minor }) => sum + minor, 0);
  const beforeTax = Math.round((total * 100) / (100 + taxPercent));
  return {
    invoice_id: invoice,
    currency,
    amount_before_tax: majorText(beforeTax, currency),
    tax: majorText(total - beforeTax, currency),
    total_amount: majorText(total, currency),
    callback_url: 'https://nilgiri.example/thanks',
    user: {
      email,
      first_name: firstName,
      last_name: lastName,
      country_code: countryCode,
      mobile_number: mobile,
    },
    shipping_address: {
      address_1: consumer.street,
      city: consumer.city,
      pincode: consumer.pincode,
    },
    order_line_items: lines.map(({ sku, title, quantity, minor }) => ({
      sku_id: sku,
      title,
      quantity,
      total_amount: majorText(minor, currency),
    })),
  };
}
