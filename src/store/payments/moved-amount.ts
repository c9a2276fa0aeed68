/** What the column `moved_amount` of a transaction tells. */

/** The SQL condition for a refund `t` of which something reached the consumer. */
export const isRefunded = `t.type = 'refund' and (t.status = 'succeeded' or t.moved_amount > 0)`;
