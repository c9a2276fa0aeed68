import { setTimeout as sleep } from 'node:timers/promises';

const openStatuses = ['new', 'pending', 'authorized', 'reversing'];

/** Resolves with `completed`, `lapsed`, `failed` or, if it takes too long, `pending`. */
export async function waitForResult(payments, invoice_id, options = {}) {
  const { firstMs = 2_000, longestMs = 60_000, stopAfterMs = 15 * 60_000 } = options;
  const stopAt = Date.now() + stopAfterMs;
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 2, longestMs)) {
    const { order, transaction } = await payments.transactionEnquiry({ invoice_id });
    if (order.status === 'completed' || order.status === 'lapsed') return order.status;
    const isOpen = transaction.some((entry) => openStatuses.includes(entry.payment_status));
    if (!isOpen && transaction.length > 0) return 'failed'; // the consumer may try again
    if (Date.now() + pauseMs > stopAt) return 'pending';
    await sleep(pauseMs);
  }
}
