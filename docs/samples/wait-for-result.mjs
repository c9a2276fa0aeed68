import { setTimeout as sleep } from 'node:timers/promises';

const finalFailures = ['failed', 'reversed'];

/** Resolves with `completed`, `lapsed`, `failed` or, if it takes too long, `pending`. */
export async function waitForResult(payments, invoice_id, options = {}) {
  const { firstMs = 2_000, longestMs = 60_000, stopAfterMs = 15 * 60_000 } = options;
  const stopAt = Date.now() + stopAfterMs;
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 2, longestMs)) {
    const { order, transaction } = await payments.transactionEnquiry({ invoice_id });
    if (order.status === 'completed' || order.status === 'lapsed') return order.status;
    const attempts = transaction.filter((entry) => entry.transaction_type === 'payment');
    const haveFailed = attempts.every((entry) => finalFailures.includes(entry.payment_status));
    if (haveFailed && attempts.length > 0) return 'failed'; // the consumer may try again
    if (Date.now() + pauseMs > stopAt) return 'pending';
    await sleep(pauseMs);
  }
}
