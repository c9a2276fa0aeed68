// A shop in one file: it creates an order, sends the consumer to pay, and shows the result.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createClient } from 'payment-order-client';

const { ACCESS_KEY: accessKey, ACCESS_SECRET: accessSecret, SHOP_PORT = '3000' } = process.env;
const baseUrl = process.env.SERVICE_URL ?? 'http://127.0.0.1:8080';
const shopUrl = `http://127.0.0.1:${SHOP_PORT}`;
const page = '<form method="post" action="/buy"><button>Buy tea for 118 INR</button></form>';
const payments = createClient({ baseUrl, accessKey, accessSecret });
const invoices = new Map(); // stands for your database

async function buy() {
  const invoice_id = `INV-${randomUUID()}`;
  invoices.set(invoice_id, 'open');
  const { order_id } = await payments.createOrder({
    ...{ invoice_id, currency: 'INR', total_amount: 118, callback_url: `${shopUrl}/back` },
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: '9876543210' },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ title: 'Tea', rate: 118, quantity: 1 }],
  });
  const payment = await payments.initiatePayment({ order_id, payment_mode_code: 'credit_card' });
  if (payment.next.length === 0) throw new Error(payment.message); // no page to pay at
  return payment.next[0].url;
}

async function describeResult(response) {
  const { invoice_id, message } = await payments.readReturn(response); // throws if it is forged
  if (!invoices.has(invoice_id)) return 'This is not an order of this shop.';
  const { order } = await payments.transactionEnquiry({ invoice_id });
  if (order.status !== 'completed') return `${invoice_id} is not paid: ${message}`;
  invoices.set(invoice_id, 'paid'); // deliver here, once: the consumer may reload the page
  return `${invoice_id} is paid. Thank you!`;
}

createServer(async ({ method, url }, response) => {
  const { pathname, searchParams } = new URL(url, shopUrl);
  const show = (text, type = 'text/plain') =>
    response.setHeader('content-type', `${type}; charset=utf-8`).end(text);
  try {
    if (pathname === '/back') show(await describeResult(searchParams.get('response')));
    else if (method !== 'POST' || pathname !== '/buy') show(page, 'text/html');
    else response.writeHead(303, { location: await buy() }).end();
  } catch (error) {
    console.error(error); // error.code says what happened, error.merchantMessage what to do
    response.statusCode = 500;
    show(error.consumerMessage || 'Sorry, that did not work. Please try again.');
  }
}).listen(SHOP_PORT, '127.0.0.1', () => console.log(`Open ${shopUrl}`));
