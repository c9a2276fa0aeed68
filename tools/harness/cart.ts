/** Bodies of create order with an ordinary cart. */

/** For whoever only cares about the invoice and the amount. */
export function cart(invoice_id: string, total_amount: string) {
  return {
    invoice_id,
    currency: 'INR',
    total_amount,
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: '9876543210' },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ title: 'Tea', rate: 1, quantity: 1 }],
  };
}

/** 118.00 INR with a tax, as the payment of `capturedWebhook` has them. */
export function teaOrder(invoice_id: string) {
  return {
    invoice_id,
    currency: 'INR',
    amount_before_tax: 100,
    tax: 18,
    total_amount: 118,
    user: {
      email: 'asha@example.com',
      first_name: 'Asha',
      last_name: 'Rao',
      mobile_number: 9876543210,
    },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ sku_id: 'TEA-1', title: 'Tea', rate: 50, quantity: 2 }],
  };
}
