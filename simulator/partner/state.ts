/** What the partner has in its states: orders, payments and refunds. */
import type { Wire } from '../wire.ts';
import type { LedgerPayment, LedgerRefund } from '../world.ts';
import type { CaptureMode } from './capture-settings.ts';

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
  /** What the shop asked for; without it payments are captured, as the account is set up. */
  readonly capture: CaptureMode | undefined;
  /** The offer with which it was paid. */
  readonly offerId?: string | undefined;
  readonly checkout: Checkout;
};

/** What the shop's page hands over when it opens the payment page. */
export type Checkout = {
  readonly shopName?: string;
  readonly callbackUrl?: string;
  /** Where a consumer who cancels is sent. */
  readonly cancelUrl?: string;
  readonly method?: string;
  readonly notes: Wire;
};

export type PartnerPayment = {
  readonly id: string;
  readonly orderId: string;
  readonly keyId: string;
  readonly amount: number;
  readonly currency: string;
  /** Released: authorized once, and given back without a capture. */
  readonly status: 'failed' | 'authorized' | 'captured' | 'released';
  readonly method: string;
  readonly notes: Wire;
  readonly createdAt: number;
  readonly amountRefunded: number;
  readonly offerId?: string;
  /** What the offer took off the order's amount. */
  readonly discount: number;
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
  /** Made by the partner itself, of money that was never taken. */
  readonly isRelease?: boolean;
};

export type PartnerDispute = {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'open' | 'lost';
  readonly createdAt: number;
  readonly respondBy: number;
};

export type PartnerState = {
  readonly orders: Map<string, PartnerOrder>;
  readonly payments: Map<string, PartnerPayment>;
  readonly refunds: Map<string, PartnerRefund>;
};

export function createPartnerState(): PartnerState {
  return { orders: new Map(), payments: new Map(), refunds: new Map() };
}

export function paymentsOf(state: PartnerState, orderId: string): PartnerPayment[] {
  return [...state.payments.values()].filter((payment) => payment.orderId === orderId);
}

/** Paid, or about to be: while a payment is authorized or captured nobody tries again. */
export function isTaken(state: PartnerState, order: PartnerOrder): boolean {
  return order.isPaid || paymentsOf(state, order.id).some(({ status }) => status === 'authorized');
}

export function refundsOf(state: PartnerState, paymentId: string): PartnerRefund[] {
  return [...state.refunds.values()].filter((refund) => refund.paymentId === paymentId);
}

export function partnerPaymentsInLedger({ orders, payments }: PartnerState): LedgerPayment[] {
  return [...payments.values()].map((payment) => {
    const { id, orderId, notes, amount, currency, status, discount } = payment;
    const order = orders.get(orderId);
    return {
      provider: 'partner',
      id,
      reference: String(notes.svc_transaction_id ?? order?.receipt ?? ''),
      amount,
      currency,
      status: status === 'released' ? 'reversed' : status,
      asked: order?.amount ?? amount,
      discount,
    };
  });
}

/** A release gives back what was never taken, so it is no refund of a shop's. */
export function partnerRefundsInLedger({ refunds }: PartnerState): LedgerRefund[] {
  return [...refunds.values()]
    .filter(({ isRelease }) => !isRelease)
    .map(({ id, paymentId, receipt, notes, amount, currency, status }) => {
      const reference = String(notes.svc_transaction_id ?? receipt ?? '');
      return { provider: 'partner', id, paymentId, reference, amount, currency, status };
    });
}
