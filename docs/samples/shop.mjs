// A shop: it creates an order, sends the consumer to pay, and shows the result.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createClient } from 'payment-order-client';

const { SERVICE_URL: baseUrl, ACCESS_KEY: accessKey, ACCESS_SECRET: accessSecret } = process.env;
const payments = createClient({ baseUrl, accessKey, accessSecret });
const shopUrl = `http://127.0.0.1:${process.env.SHOP_PORT ?? 3000}`;

async function buy() {
  const { token } = await payments.createOrder({
    invoice_id: `INV-${randomUUID()}`, // the order's id in your database
    currency: 'INR',
    total_amount: 118,
    // Without these three an order is refused, unless: account update ACCOUNT_ID --optional-order-details
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: '9876543210' },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ title: 'Tea', rate: 118, quantity: 1 }],
    callback_url: `${shopUrl}/back`,
  });
  return `${baseUrl}/checkout?token=${token}`; // the page where the consumer pays
}

async function describeResult(response) {
  const { invoice_id, message } = await payments.readReturn(response); // throws if it is forged
  const { order } = await payments.transactionEnquiry({ invoice_id });
  if (order.status !== 'completed') return `${invoice_id} is not paid: ${message}`;
  return `${invoice_id} is paid. Thank you!`; // deliver here, once: the page may be reloaded
}

createServer(async ({ method, url }, reply) => {
  const { pathname, searchParams } = new URL(url, shopUrl);
  const page = '<form method="post"><button>Buy tea for 118 INR</button></form>';
  try {
    reply.setHeader('content-type', 'text/plain; charset=utf-8'); // a result is not HTML
    if (pathname === '/back') reply.end(await describeResult(searchParams.get('response')));
    else if (method === 'POST') reply.writeHead(303, { location: await buy() }).end();
    else reply.setHeader('content-type', 'text/html').end(page);
  } catch (error) {
    console.error(error); // error.code says what happened, error.merchantMessage what to do
    reply.writeHead(500).end(error.consumerMessage || 'Sorry, please try again.');
  }
}).listen(new URL(shopUrl).port, '127.0.0.1', () => console.log(`Open ${shopUrl}`));
