/** Converts rows of the table `orders` to domain objects. */
import type { StoredDisputeNotice } from '../domain/disputes/dispute.ts';
import type { MinorUnits } from '../domain/money/money.ts';
import type { StoredTally } from '../domain/order-state/tally.ts';
import type {
  CurrencyConversion,
  Order,
  OrderDetails,
  OrderStatus,
} from '../domain/orders/order.ts';
import type { RequestedOperation } from '../domain/payments/operation.ts';
import type { HeldNotice } from '../domain/payments/records.ts';
import type { ReviewFlag } from '../domain/review-flag.ts';
import { defineAccountRows } from './per-account.ts';

export type OrderRow = {
  account_id: string;
  order_id: string;
  invoice_id: string;
  status: OrderStatus;
  attempts: number;
  currency: string;
  amount_before_tax: MinorUnits;
  tax: MinorUnits;
  total_amount: MinorUnits;
  exchange_rate: string | null;
  original_currency: string | null;
  original_amount_before_tax: MinorUnits | null;
  original_tax: MinorUnits | null;
  original_total_amount: MinorUnits | null;
  user_id: string | null;
  restricted: boolean;
  details: OrderDetails;
  earlier_consumers?: Order['earlierConsumers'] | null;
  content_digest: Buffer;
  created_at: Date;
  lapses_at: Date;
  own_lapses_at?: Date | null;
  flags: ReviewFlag[];
  held_notices?: HeldNotice[] | null;
  dispute_notices?: StoredDisputeNotice[] | null;
  operations?: RequestedOperation[] | null;
  tally?: StoredTally | null;
  event_sequence?: number;
  erased_at?: Date | null;
};

export type OrderKey = Pick<Order, 'accountId' | 'orderId'>;

/** The orders of one account, for `order_id = any($2::text[])`. */
export const orderIds = defineAccountRows<OrderKey>({ text: ['orderId'] });

/** The part of an order that folding its transactions needs. */
export type StoredOrder = Omit<
  Order,
  'invoiceId' | 'conversion' | 'restricted' | 'details' | 'earlierConsumers' | 'contentDigest'
> & {
  readonly heldNotices?: readonly HeldNotice[];
  readonly disputeNotices?: readonly StoredDisputeNotice[];
  readonly operations?: readonly RequestedOperation[];
  /** Set for a large order. */
  readonly tally?: StoredTally;
  /** The number of its last event; 0 if it has none. */
  readonly eventSequence: number;
  /** The personal data was erased: later deliveries are erased before they are stored. Contract 8.7. */
  readonly isErased?: true;
};

export function toStoredOrder(row: OrderRow): StoredOrder {
  return {
    accountId: row.account_id,
    orderId: row.order_id,
    savedStatus: row.status,
    attempts: row.attempts,
    amounts: {
      currency: row.currency,
      beforeTax: row.amount_before_tax,
      tax: row.tax,
      total: row.total_amount,
    },
    createdAt: row.created_at,
    lapsesAt: row.lapses_at,
    ...(row.own_lapses_at && { ownLapsesAt: row.own_lapses_at }),
    flags: row.flags,
    userId: row.user_id,
    eventSequence: row.event_sequence ?? 0,
    ...(row.held_notices && { heldNotices: row.held_notices }),
    ...(row.dispute_notices && { disputeNotices: row.dispute_notices }),
    ...(row.operations && { operations: row.operations }),
    ...(row.tally && { tally: row.tally }),
    ...(row.erased_at && { isErased: true }),
  };
}

export type WholeOrder = Order & StoredOrder;

export function toOrder(row: OrderRow): WholeOrder {
  return {
    ...toStoredOrder(row),
    invoiceId: row.invoice_id,
    conversion: toConversion(row),
    restricted: row.restricted,
    details: row.details,
    ...(row.earlier_consumers && { earlierConsumers: row.earlier_consumers }),
    contentDigest: row.content_digest,
  };
}

function toConversion(row: OrderRow): CurrencyConversion | null {
  if (row.exchange_rate === null || row.original_currency === null) return null;
  return {
    rate: row.exchange_rate,
    original: {
      currency: row.original_currency,
      beforeTax: row.original_amount_before_tax ?? 0,
      tax: row.original_tax ?? 0,
      total: row.original_total_amount ?? 0,
    },
  };
}
