/** The stored data of the partner: orders, payments, refunds and disputes. */
import type { DisputePhase, DisputeStep } from '../dispute-steps.ts';
import { texts, type Wire } from '../wire.ts';
import type { LedgerDispute, LedgerPayment, LedgerRefund } from '../world.ts';
import type { BankAccount } from './bank-account.ts';
import type { CaptureSettings } from './capture-settings.ts';

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
  /** What the shop requested; without it payments are captured automatically. */
  readonly capture: CaptureSettings | undefined;
  /** The offer with which it was paid. */
  readonly offerId?: string | undefined;
  /** The account that it must be paid from. */
  readonly bankAccount?: BankAccount;
  /** The only method that it may be paid by. */
  readonly method?: string;
  readonly checkout: Checkout;
};

/** What the shop's page sends when it opens the payment page. */
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
  /**
   * Created: an intent that the consumer has not answered yet. Released: was authorized and then given back without a
   * capture.
   */
  readonly status: 'created' | 'failed' | 'authorized' | 'captured' | 'released';
  readonly method: string;
  readonly intent?: Intent;
  /** The bank of the account that it must come from. */
  readonly bank?: string;
  readonly notes: Wire;
  readonly createdAt: number;
  readonly amountRefunded: number;
  readonly offerId?: string;
  /** The discount that the offer gave on the order's amount. */
  readonly discount: number;
  /** What the consumer pays on top of the order's amount; part of the amount. */
  readonly fee: number;
  readonly failureReason: string | null;
  /** The partner reported it as failed before the bank approved it. */
  readonly wasFailed?: boolean;
  /** When it is released unless it was captured, in milliseconds since 1970. */
  readonly holdEndsAt?: number;
};

/** What the shop sends to request an intent. */
export type Intent = {
  readonly email: string;
  readonly contact: string;
  readonly description?: string;
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
  /** The raw request, to distinguish a repeat from another request with the same key. */
  readonly request: string;
  readonly idempotencyKey: string | undefined;
  /** Made by the partner itself for an authorisation that was never captured. */
  readonly isRelease?: boolean;
};

export type PartnerDispute = {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'open' | Exclude<DisputeStep, 'action_required'>;
  readonly phase: DisputePhase;
  readonly createdAt: number;
  readonly respondBy: number;
  /** How many events reported it so far. */
  readonly events: number;
};

export type PartnerState = {
  readonly orders: Map<string, PartnerOrder>;
  readonly payments: Map<string, PartnerPayment>;
  readonly refunds: Map<string, PartnerRefund>;
  readonly disputes: Map<string, PartnerDispute>;
};

export function createPartnerState(): PartnerState {
  return { orders: new Map(), payments: new Map(), refunds: new Map(), disputes: new Map() };
}

/** Our names of an order, the most specific first, and its id. */
export function referencesOf({ notes, checkout, receipt, id }: PartnerOrder): string[] {
  const all = { ...notes, ...checkout.notes };
  return texts(all.svc_transaction_id, receipt, all.svc_order_id, all.order_id, all.invoice_id, id);
}

export function paymentsOf(state: PartnerState, orderId: string): PartnerPayment[] {
  return [...state.payments.values()].filter((payment) => payment.orderId === orderId);
}

/** The attempts that the consumer has made: an intent is one after they have answered it. */
export function countTries(state: PartnerState, orderId: string): number {
  return paymentsOf(state, orderId).filter(({ status }) => status !== 'created').length;
}

/** The orders for one of ours that nobody has paid. */
export function openOrdersOf(state: PartnerState, receipt: string): string[] {
  return [...state.orders.values()]
    .filter((order) => order.receipt === receipt && !isTaken(state, order))
    .map(({ id }) => id);
}

/** True while a payment is authorized or captured: there is no further attempt then. */
export function isTaken(state: PartnerState, order: PartnerOrder): boolean {
  return order.isPaid || paymentsOf(state, order.id).some(({ status }) => status === 'authorized');
}

export function refundsOf(state: PartnerState, paymentId: string): PartnerRefund[] {
  return [...state.refunds.values()].filter((refund) => refund.paymentId === paymentId);
}

export function partnerPaymentsInLedger({ orders, payments }: PartnerState): LedgerPayment[] {
  return [...payments.values()].map((payment) => {
    const { id, orderId, amount, currency, status, discount, fee } = payment;
    const order = orders.get(orderId);
    return {
      provider: 'partner',
      id,
      reference: referenceOf(payment, order),
      amount,
      currency,
      status: status === 'released' ? 'reversed' : status,
      captured: status === 'captured' ? amount : 0,
      asked: order?.amount ?? amount,
      discount,
      fee,
    };
  });
}

/** A release gives back money that was never captured, so it is not a refund of the shop. */
export function partnerRefundsInLedger({ refunds }: PartnerState): LedgerRefund[] {
  return [...refunds.values()]
    .filter(({ isRelease }) => !isRelease)
    .map(({ id, paymentId, receipt, notes, amount, currency, status }) => {
      const reference = String(notes.svc_transaction_id ?? receipt ?? '');
      return { provider: 'partner', id, paymentId, reference, amount, currency, status };
    });
}

export function partnerDisputesInLedger({
  orders,
  payments,
  disputes,
}: PartnerState): LedgerDispute[] {
  return [...disputes.values()].map(({ id, paymentId, amount, currency, status }) => {
    const payment = payments.get(paymentId);
    const reference = payment ? referenceOf(payment, orders.get(payment.orderId)) : '';
    return { provider: 'partner', id, paymentId, reference, amount, currency, status };
  });
}

/** Our id of a payment. */
export function referenceOf(
  { notes }: Pick<PartnerPayment, 'notes'>,
  order: PartnerOrder | undefined,
): string {
  return String(notes.svc_transaction_id ?? order?.receipt ?? '');
}
