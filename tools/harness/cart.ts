/** The body of a create order with an ordinary cart, for tools that only care about its invoice and amount. */
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
