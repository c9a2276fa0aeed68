/** What the partner has in its books: orders, payments and refunds. */
import type { Wire } from '../wire.ts';
import type { LedgerPayment, LedgerRefund } from '../world.ts';

export type PartnerOrder = {
  readonly id: string;
  readonly keyId: string;
  readonly amount: number;
  readonly currency: string;
  readonly receipt: string | null;
  readonly notes: Wire;
  readonly createdAt: number;
  readonly attempts: number;
  readonly isPaid: boolean;
  readonly checkout: Checkout;
};

/** What the shop's page hands over when it opens the payment page. */
export type Checkout = {
  readonly shopName?: string;
  readonly callbackUrl?: string;
  readonly method?: string;
  readonly notes: Wire;
};

export type PartnerPayment = {
  readonly id: string;
  readonly orderId: string;
  readonly keyId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'failed' | 'authorized' | 'captured';
  readonly method: string;
  readonly notes: Wire;
  readonly createdAt: number;
  readonly amountRefunded: number;
  readonly failureReason: string | null;
};

export type PartnerRefund = {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: number;
  readonly currency: string;
  readonly receipt: string | null;
  readonly notes: Wire;
  readonly status: 'pending' | 'processed' | 'failed';
  readonly speed: string;
  readonly createdAt: number;
  /** The request as it came, to tell a repeat from another request with the same key. */
  readonly request: string;
  readonly idempotencyKey: string | undefined;
};

export type PartnerBook = {
  readonly orders: Map<string, PartnerOrder>;
  readonly payments: Map<string, PartnerPayment>;
  readonly refunds: Map<string, PartnerRefund>;
};

export function openPartnerBook(): PartnerBook {
  return { orders: new Map(), payments: new Map(), refunds: new Map() };
}

export function paymentsOf(book: PartnerBook, orderId: string): PartnerPayment[] {
  return [...book.payments.values()].filter((payment) => payment.orderId === orderId);
}

export function refundsOf(book: PartnerBook, paymentId: string): PartnerRefund[] {
  return [...book.refunds.values()].filter((refund) => refund.paymentId === paymentId);
}

export function partnerPaymentsInLedger({ orders, payments }: PartnerBook): LedgerPayment[] {
  return [...payments.values()].map(({ id, orderId, notes, amount, currency, status }) => {
    const order = orders.get(orderId);
    const reference = String(notes.svc_transaction_id ?? order?.receipt ?? '');
    const asked = order?.amount ?? amount;
    return {
      provider: 'partner',
      id,
      reference,
      amount,
      currency,
      status,
      asked,
      discount: 0,
    };
  });
}

export function partnerRefundsInLedger({ refunds }: PartnerBook): LedgerRefund[] {
  return [...refunds.values()].map(
    ({ id, paymentId, receipt, notes, amount, currency, status }) => {
      const reference = String(notes.svc_transaction_id ?? receipt ?? '');
      return { provider: 'partner', id, paymentId, reference, amount, currency, status };
    },
  );
}
