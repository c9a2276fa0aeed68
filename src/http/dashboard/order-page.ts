/** One order with its payments, refunds of them, and the end of its payment link. A viewer sees personal data as an order token does. Contract 13.5. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { maskUpiId, maskUser } from '../../domain/consumers/mask.ts';
import { refuseField } from '../../domain/errors.ts';
import { findNote } from '../../domain/inbox/review.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import { limits } from '../../domain/limits.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import type { Address, LineItem, Order, StoredNumber } from '../../domain/orders/order.ts';
import { linkStatus } from '../../domain/orders/payment-link.ts';
import { type FailureReason, failureTable } from '../../domain/payments/failure.ts';
import type { Payment, Refund, Transaction } from '../../domain/payments/transaction.ts';
import { adviceFor, type ReviewFlag } from '../../domain/review-flag.ts';
import type { OrderPage, ShownPayment } from '../../use-cases/orders/get-order-page.ts';
import type { HttpContext } from '../http-context.ts';
import { markReplay, readIdempotencyKey } from '../merchant/idempotency-key.ts';
import { attributesView } from '../merchant/order-view.ts';
import { addRoute, search } from './dashboard-guard.ts';
import { userView } from './orders.ts';
import { readQuery, readText } from './read-query.ts';
import {
  amountsIn,
  amountText,
  disputeView,
  isMaskedFor,
  isoOf,
  providerView,
} from './view-parts.ts';

const withRefund = {
  body: Type.Object({
    transaction_id: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
    refund_amount: Type.String({ minLength: 1, maxLength: 64 }),
    /** As the page showed it. */
    refunded_so_far: Type.String({ minLength: 1, maxLength: 64 }),
    note: Type.Optional(Type.String({ maxLength: limits.textCharsMax })),
  }),
};

export function addOrderPage(app: FastifyInstance, context: HttpContext): void {
  const { useCases } = context;
  addRoute(app, 'viewer', 'GET /orders/:order_id', search, async (request) => {
    const { account, params, query } = request;
    const { after } = readQuery(query, { after: readText });
    const key = { accountId: account.accountId, orderId: params.order_id };
    const page = await useCases.getOrderPage(key, { after });
    return orderPageView(page, isMaskedFor(account.role));
  });

  const refunds = 'POST /orders/:order_id/refunds';
  addRoute(app, 'operator', refunds, withRefund, async (request, reply) => {
    const { account, actor, params, body } = request;
    const order = { accountId: account.accountId, orderId: params.order_id };
    const made = await useCases.refundAsUser(actor, order, {
      transactionId: body.transaction_id,
      amount: body.refund_amount,
      refundedSoFar: body.refunded_so_far,
      // Without a key, a reply that is lost would lead to a second refund.
      key: readIdempotencyKey(request) ?? refuseField('Idempotency-Key', 'is missing'),
      note: findNote(body.note ?? '') ?? null,
    });
    markReplay(reply, made.replayed);
    const { transactionId, status, paymentTransactionId } = made.reply;
    return withSnakeCase({ transactionId, refundStatus: status, paymentTransactionId });
  });
  addLinkCancel(app, context);
}

function addLinkCancel(app: FastifyInstance, { useCases, clock }: HttpContext): void {
  const cancel = 'POST /orders/:order_id/payment-link/cancel';
  addRoute(app, 'operator', cancel, {}, async ({ account, actor, params }) => {
    const key = { accountId: account.accountId, orderId: params.order_id };
    const { order, link } = await useCases.cancelLinkOfOrder(key, actor);
    return { payment_link_status: linkStatus(link, order, clock()) };
  });
}

export function orderPageView(page: OrderPage, masked: boolean) {
  const { order, sums } = page;
  const text = (minor: MinorUnits) => amountText(minor, order.amounts.currency);
  const showFlags = flagsOf(page);
  return {
    order: {
      order_id: order.orderId,
      invoice_id: order.invoiceId,
      status: page.status,
      attempts: order.attempts,
      created_at: order.createdAt.toISOString(),
      lapses_at: order.lapsesAt.toISOString(),
      flags: showFlags(order.orderId, order.flags),
      currency: order.amounts.currency,
      amount_before_tax: text(order.amounts.beforeTax),
      tax: text(order.amounts.tax),
      total_amount: text(order.amounts.total),
      paid_amount: text(sums.paid),
      refunded_amount: text(sums.refunded),
      refund_pending_amount: text(sums.pending),
      disputed_amount: text(sums.claimed),
      available_amount: text(sums.available),
      conversion: conversionView(order),
      ...detailsView(order, masked),
      /** The account that the order must be paid from: its last digits. */
      bank_account: page.bankAccount?.lastDigits ?? null,
      checkout: withSnakeCase(page.checkout ?? null),
      payment_link_status: page.linkStatus ?? null,
    },
    payments: page.payments.map((payment) => paymentView(payment, { masked, showFlags })),
    disputes: page.disputes.map(({ transactionId, dispute }) => ({
      transaction_id: transactionId,
      ...disputeView(dispute),
    })),
    payments_total: page.paymentsTotal,
    next: page.next ?? null,
    other_refunds: page.otherRefunds.map((refund) => refundView(refund, showFlags)),
  };
}

function flagsOf({ resolved }: OrderPage) {
  return (subject: string, flags: readonly ReviewFlag[]) =>
    flags.map((flag) => {
      const closing = resolved.find((entry) => entry.subject === subject && entry.flag === flag);
      return {
        flag,
        advice: adviceFor([flag]),
        resolved_at: closing?.at.toISOString() ?? null,
        resolved_by: closing?.actor ?? null,
      };
    });
}

function conversionView({ conversion }: Order) {
  if (!conversion) return null;
  const { original, rate } = conversion;
  const { currency } = original;
  return { currency, total_amount: amountText(original.total, currency), rate };
}

function detailsView({ details, userId, restricted }: Order, masked: boolean) {
  const { user } = details;
  return {
    user: user
      ? { ...userView(masked ? maskUser(user) : user), user_id: userId, restricted }
      : null,
    shipping_address: addressLines(details.shippingAddress, masked),
    billing_address: addressLines(details.billingAddress, masked),
    items: (details.lineItems ?? []).map(itemView),
    custom_attributes: attributesView(details.customAttributes ?? []),
    description: details.description ?? null,
    callback_url: details.callbackUrl ?? null,
    callback_mode: details.callbackMode ?? null,
    shop: details.merchantShopfrontDomain ?? null,
    platform: joined([details.referrerPlatform, details.referrerPlatformVersion], ' '),
    ip_address: details.ipAddress === undefined ? null : masked ? '***' : details.ipAddress,
  };
}

/** An order token sees city, state and pincode, and nothing more precise. Contract 2.9. */
function addressLines(address: Address | undefined, masked: boolean): readonly string[] {
  if (!address) return [];
  const { address1, street, landmark, area, city, state, pincode } = address;
  const precise = masked ? [] : [address1, street, landmark, area];
  const lines = [...precise, joined([pincode, city], ' '), state];
  return lines.filter((line) => line !== undefined && line !== null);
}

function joined(parts: readonly (string | undefined)[], between: string): string | null {
  return parts.filter((part) => part !== undefined).join(between) || null;
}

/** Numbers are those that the shop sent, in major units. Contract 3.4. */
function itemView(item: LineItem) {
  const text = (value: StoredNumber | undefined) => (value === undefined ? null : String(value));
  return {
    sku_id: item.skuId ?? null,
    title: item.title,
    description: item.description ?? null,
    quantity: text(item.quantity),
    rate: text(item.rate),
    tax: text(item.tax),
    total_amount: text(item.totalAmount),
  };
}

type ShowFlags = ReturnType<typeof flagsOf>;
export type FlagView = ReturnType<ShowFlags>[number];

export function paymentView(
  { payment, refunds, ...others }: ShownPayment,
  { masked, showFlags }: { readonly masked: boolean; readonly showFlags: ShowFlags },
) {
  const text = amountsIn(payment.currency);
  return {
    ...transactionView(payment, showFlags),
    payment_status: payment.status,
    payment_mode: others.mode,
    mode_details: masked ? maskUpiId(payment.subPaymentMode) : payment.subPaymentMode,
    provider_order_id: payment.start?.providerOrderId ?? null,
    origin: payment.start ? (payment.start.origin ?? ('api' as const)) : ('provider' as const),
    given_up: payment.start?.givenUpAtMs !== undefined,
    arn: payment.paymentArn,
    acquirer: payment.paymentAcquirer,
    fee: text(payment.customerFee),
    offer_id: payment.offerId,
    offer_discount: text(payment.offerDiscount),
    voided: payment.voided,
    captures: (payment.captures ?? []).map(({ pspId, amount, status, atMs }) => ({
      psp_transaction_id: pspId,
      amount: text(amount),
      status,
      at: isoOf(atMs),
    })),
    authorization: authorizationView(payment, others.authorization),
    operations: (payment.operations ?? []).map(({ operationId, kind, amount, status, atMs }) => ({
      transaction_id: operationId,
      kind,
      amount: text(amount),
      status,
      at: isoOf(atMs),
    })),
    disputed_amount: text(others.claimed),
    available_amount: text(others.available),
    refunds: refunds.map((refund) => refundView(refund, showFlags)),
    refunds_total: others.refundsTotal,
    refunded_so_far: text(others.refundedSoFar),
  };
}

/** What can be captured or voided; null if the payment is not authorised. Contract 16.8. */
function authorizationView(
  { currency, operations }: Payment,
  authorization: ShownPayment['authorization'],
) {
  if (!authorization) return null;
  const { left, expiresAtMs, takesParts, canCapture, canVoid } = authorization;
  return {
    left_amount: amountsIn(currency)(left),
    expires_at: isoOf(expiresAtMs),
    takes_parts: takesParts,
    can_capture: canCapture,
    can_void: canVoid,
    operations_total: operations?.length ?? 0,
  };
}

function refundView(refund: Refund, showFlags: ShowFlags) {
  const text = amountsIn(refund.currency);
  return {
    ...transactionView(refund, showFlags),
    refund_status: refund.status,
    refund_request_id: refund.refundRequestId,
    arn: refund.refundArn,
    parts: (refund.parts ?? []).map(({ pspId, amount, status }) => ({
      psp_transaction_id: pspId,
      amount: text(amount),
      refund_status: status,
    })),
  };
}

function transactionView(transaction: Transaction, showFlags: ShowFlags) {
  const { transactionId, provider, currency, failure } = transaction;
  return {
    transaction_id: transactionId,
    ...providerView(provider),
    psp_transaction_id: transaction.pspTransactionId,
    amount: amountsIn(currency)(transaction.amount),
    currency,
    started_at: isoOf(transaction.startedAtMs),
    finished_at: isoOf(transaction.finishedAtMs),
    /** Of our call to the provider; null if it was not started here. */
    call: transaction.start?.call ?? null,
    failure: failure && failureView(failure),
    flags: showFlags(transactionId, transaction.flags),
  };
}

function failureView({ code, merchantMessage, retryAllowed }: FailureReason) {
  return {
    code,
    message: merchantMessage,
    consumer_message: failureTable[code].consumerMessage,
    retry_allowed: retryAllowed,
  };
}
