/** The message printed when the service is ready; at the very first start it shows how to make the first calls. */
import type { NewAccount } from './use-cases/accounts/create-account.ts';

export function readyText(publicUrl: string): string {
  return `payment-order-service is ready on ${publicUrl}`;
}

export function firstStartText(publicUrl: string, account: NewAccount): string {
  const credentials = JSON.stringify({
    access_key: account.accessKey,
    access_secret: account.accessSecret,
  });
  const order = JSON.stringify({
    invoice_id: 'INV-1001',
    currency: 'INR',
    amount_before_tax: 100,
    tax: 18,
    total_amount: 118,
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: 9876543210 },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ title: 'Tea', rate: 100, quantity: 1 }],
  });
  const printed = [
    ['account_id', account.accountId],
    ['access_key', account.accessKey],
    ['access_secret', account.accessSecret],
    ...account.webhooks.map(({ secretKind, secret }) => [secretKind.replaceAll('-', '_'), secret]),
  ];
  const width = Math.max(...printed.map(([name = '']) => name.length));
  return `${readyText(publicUrl)}

A demo account was made for you. Its secrets are shown this once:

${printed.map(([name = '', value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')}

Paste these lines into another terminal: a token, an order, the order again.

  TOKEN=$(curl -s ${publicUrl}/api/v3/generate-token -d '${credentials}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s ${publicUrl}/api/v3/create-order -H "Authorization: Bearer $TOKEN" -d '${order}'
  curl -s "${publicUrl}/api/v3/order?invoice_id=INV-1001" -H "Authorization: Bearer $TOKEN"

All calls are described at ${publicUrl}/docs
`;
}
