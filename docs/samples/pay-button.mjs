// A shop whose Pay button opens the checkout over its own page.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createClient } from 'payment-order-client';

const { SERVICE_URL: baseUrl, ACCESS_KEY: accessKey, ACCESS_SECRET: accessSecret } = process.env;
const payments = createClient({ baseUrl, accessKey, accessSecret });
const port = process.env.SHOP_PORT ?? 3000;
const checkoutModule = readFileSync(new URL(import.meta.resolve('payment-order-client/browser')));

const page = `<!doctype html>
<html lang="en">
<title>Tea shop</title>
<button>Pay 118 INR</button>
<p role="status"></p>
<script type="module">
  import { openCheckout } from '/checkout.js';
  const ask = async (path) => (await fetch(path, { method: 'POST' })).json();
  document.querySelector('button').addEventListener('click', async () => {
    const { token, invoiceId } = await ask('/buy');
    const onResult = async () => {
      // The result came through the browser, so the shop's server says what is true.
      const { text } = await ask('/status/' + invoiceId);
      document.querySelector('p').textContent = text;
    };
    openCheckout({ baseUrl: ${JSON.stringify(baseUrl)}, token, onResult });
  });
</script>`;

async function buy() {
  const invoiceId = `INV-${randomUUID()}`; // the order's id in your database
  const { token } = await payments.createOrder({
    invoice_id: invoiceId,
    currency: 'INR',
    total_amount: 118,
    user: { email: 'asha@example.com', first_name: 'Asha', mobile_number: '9876543210' },
    shipping_address: { address_1: '12 MG Road', city: 'Bengaluru', pincode: '560001' },
    order_line_items: [{ title: 'Tea', rate: 118, quantity: 1 }],
  });
  return { token, invoiceId }; // the token opens this order only, so the browser may have it
}

async function describeOrder(invoiceId) {
  const { order } = await payments.transactionEnquiry({ invoice_id: invoiceId });
  if (order.status !== 'completed') return { text: `${invoiceId} is not paid yet.` };
  return { text: `${invoiceId} is paid. Thank you!` }; // deliver here, once
}

createServer(async ({ method, url }, reply) => {
  const send = (type, body) => reply.setHeader('content-type', type).end(body);
  try {
    if (url === '/checkout.js') send('text/javascript', checkoutModule);
    else if (method !== 'POST') send('text/html; charset=utf-8', page);
    else if (url === '/buy') send('application/json', JSON.stringify(await buy()));
    else send('application/json', JSON.stringify(await describeOrder(url.split('/').at(-1))));
  } catch (error) {
    console.error(error);
    reply.writeHead(500).end('{"text":"Sorry, please try again."}');
  }
}).listen(port, '127.0.0.1', () => console.log(`Open http://127.0.0.1:${port}`));
