/** Bodies of create order as merchants send them. */
import { teaOrder } from '../../tools/harness/cart.ts';

let invoices = 0;

/** An ordinary order. `changes` replaces fields, and undefined removes them. */
export function orderBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  invoices += 1;
  return { ...teaOrder(`INV-${process.pid}-${invoices}`), ...changes };
}

/** An order with every field that is stored. Contract 3.2. */
export function fullOrderBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return orderBody({
    user: {
      email: 'asha@example.com',
      first_name: 'Asha',
      last_name: 'Rao',
      country_code: '+91',
      mobile_number: '9876543210',
    },
    shipping_address: addressBody('Home'),
    billing_address: addressBody('Office'),
    order_line_items: [
      {
        sku_id: 'TEA-1',
        title: 'Tea',
        description: 'First flush, 100 g',
        image_url: 'https://shop.example/tea.png',
        rate: 50,
        quantity: 2,
        amount_before_tax: 100,
        tax: 18,
        total_amount: 118,
      },
    ],
    bank_account: { account_number: '00112233445566', name: 'Asha Rao', ifsc: 'HDFC0A1B2C3' },
    custom_attributes: { campaign: 'diwali', gift: 'yes' },
    callback_url: 'https://shop.example/return',
    callback_mode: 'redirect',
    description: 'Two packets of tea',
    validate_order_line_item: true,
    referrer_platform: 'shop-plugin',
    referrer_platform_version: '4.2.0',
    ip_address: '203.0.113.7',
    merchant_shopfront_domain: 'https://shop.example',
    ...changes,
  });
}

/** An address with every field. The tag makes it distinguishable. */
export function addressBody(tag: string): Record<string, string> {
  return {
    address_1: `12 ${tag} Lane`,
    street: 'MG Road',
    landmark: 'Opposite the clock tower',
    area: 'Indiranagar',
    city: 'Bengaluru',
    state: 'Karnataka',
    pincode: '560001',
    address_type: tag,
  };
}
