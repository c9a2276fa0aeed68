/** Bodies of create order as merchants send them. */
let invoices = 0;

/** A complete, ordinary order; members can be replaced, or taken away with undefined. */
export function orderBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  invoices += 1;
  return {
    invoice_id: `INV-${process.pid}-${invoices}`,
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
    ...changes,
  };
}
