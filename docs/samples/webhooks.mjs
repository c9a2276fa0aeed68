// Receives webhooks: verifies each one, stores it once, and only then answers 200. Needs Node 24.
// A job of yours reads `select id, state from states where state is not handled`, acts, and then sets `handled`:
//   order completed    deliver. Not on payment succeeded: the amount may differ from the order's
//   order lapsed       release the stock. A late payment can still complete the order
//   payment failed     offer another payment, unless the order is completed
//   payment reversed   stop the delivery
//   refund succeeded, refund failed    tell the consumer, or look at failure_reason
// Events of the type review_needed are for a person: their message names the reason.
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { UntrustedDataError, verifyWebhook } from 'payment-order-client';

const { WEBHOOK_SECRET: secret, WEBHOOK_STORE = 'webhooks.db', WEBHOOK_PORT = 3001 } = process.env;
const db = new DatabaseSync(WEBHOOK_STORE);
db.exec(`create table if not exists events (id text primary key, type text, body text);
  create table if not exists states (id text primary key, state text, sequence integer, handled text)`);
const addEvent = db.prepare('insert or ignore into events values (?, ?, ?)');
// Events may arrive in any order, and an older state must not replace a newer one.
const setState = db.prepare(`insert into states (id, state, sequence) values (?, ?, ?)
  on conflict (id) do update set state = excluded.state, sequence = excluded.sequence
  where excluded.sequence > states.sequence`);

/** All or nothing: after a crash the service sends the event again. */
function store(event) {
  const { event_id, event_type, sequence, order, transaction } = event;
  db.exec('begin immediate');
  try {
    const isNew = addEvent.run(event_id, event_type, JSON.stringify(event)).changes === 1;
    if (isNew && order) setState.run(order.svc_order_id, `order ${order.status}`, sequence);
    if (isNew && transaction) {
      const kind = transaction.transaction_type === 'payment' ? 'payment' : 'refund';
      setState.run(transaction.svc_transaction_id, `${kind} ${event.status}`, sequence);
    }
    db.exec('commit');
    return isNew ? 'stored' : 'repeated';
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}

createServer(async (request, reply) => {
  try {
    const chunks = [];
    for await (const chunk of request) if (chunks.push(chunk) > 100) throw new Error('too large');
    const body = Buffer.concat(chunks);
    reply.end(store(await verifyWebhook({ headers: request.headers, body, secret })));
  } catch (error) {
    console.error(error.message);
    reply.writeHead(error instanceof UntrustedDataError ? 400 : 500).end();
  }
}).listen(WEBHOOK_PORT, '127.0.0.1');
