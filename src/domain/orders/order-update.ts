/** Decides how update-order changes an open order: completely, or not at all. Pure. Contract 11.3. */
import { isDeepStrictEqual } from 'node:util';
import type { AccountSettings } from '../accounts/account.ts';
import { refuseField, ServiceError } from '../errors.ts';
import type { State } from '../history.ts';
import { getExponent } from '../money/currency.ts';
import { formatAmount } from '../money/money.ts';
import { checkCallback } from './callback.ts';
import type { ChangedBy } from './consumer.ts';
import { type Order, orderStatus, type SentDetails } from './order.ts';
import { decideOrder, type OrderRequest } from './order-request.ts';

/** An update-order request in our names; absent fields stay unchanged. */
export type OrderUpdate = { readonly currency?: string; readonly details: SentDetails } & Pick<
  OrderRequest,
  'amountBeforeTax' | 'tax' | 'totalAmount'
>;

export function refuseClosed(order: Order, now: Date): void {
  const status = orderStatus(order, now);
  if (status === 'completed') throw new ServiceError('ORDER_COMPLETED');
  if (status === 'lapsed') throw new ServiceError('ORDER_LAPSED');
}

export function decideUpdate(
  order: Order,
  update: OrderUpdate,
  settings: AccountSettings,
  by: ChangedBy,
) {
  // The price is the amounts and the cart items.
  if (givesAmounts(update) || update.details.lineItems !== undefined) {
    if (by !== 'merchant') {
      throw new ServiceError(
        'PERMISSION_DENIED',
        'An order token may not change amounts or order_line_items: use a merchant token from generate-token.',
      );
    }
    if (order.attempts > 0) {
      throw new ServiceError(
        'ORDER_CONFLICT',
        'A payment was attempted already, so amounts and order_line_items stay as they are: create a new order.',
      );
    }
  }
  if (by !== 'merchant') refuseOtherAttributes(order, update);
  checkCallback(order.details, update.details, settings, by);
  return decideContent(order, update, settings);
}

/** The browser library of shipped clients sets them once. A repeat of that call changes nothing. Contract 2.9. */
function refuseOtherAttributes(order: Order, update: OrderUpdate): void {
  const before = order.details.customAttributes ?? [];
  const after = update.details.customAttributes ?? before;
  if (before.length === 0 || isDeepStrictEqual(before, after)) return;
  throw new ServiceError(
    'PERMISSION_DENIED',
    'An order token may set custom_attributes only while the order has none: use a merchant token from generate-token to change them.',
  );
}

function givesAmounts({ amountBeforeTax, tax, totalAmount }: OrderUpdate): boolean {
  return amountBeforeTax !== undefined || tax !== undefined || totalAmount !== undefined;
}

/** The updated order must be one that create-order would accept. */
function decideContent(order: Order, update: OrderUpdate, settings: AccountSettings) {
  const received = order.conversion?.original ?? order.amounts;
  if (update.currency !== undefined && update.currency !== received.currency) {
    refuseField('currency', `must stay ${received.currency}: create a new order for another one`);
  }
  const { user, ...details } = order.details;
  const { amountBeforeTax, tax, totalAmount } = update;
  const updated = decideOrder(
    {
      invoiceId: order.invoiceId,
      currency: received.currency,
      // Amounts are replaced as a set: an absent one is not taken from the order.
      ...(givesAmounts(update) ? { amountBeforeTax, tax, totalAmount } : amountsAsReceived(order)),
      // The consumer is merged field by field; every other detail is replaced as a whole.
      details: { ...details, ...update.details },
      knownUser: user,
    },
    {
      ...settings,
      // An update removes no detail, so required details are checked only when the consumer changes.
      optionalOrderDetails: settings.optionalOrderDetails || update.details.user === undefined,
      // The rate at the order's creation, not the account's current one.
      alternateCurrencies: rateOf(order),
    },
  );
  const { amounts, conversion } = givesAmounts(update) ? updated : order;
  return { amounts, conversion, details: updated.details };
}

function amountsAsReceived({ amounts, conversion }: Order) {
  const { currency, beforeTax, tax, total } = conversion?.original ?? amounts;
  const exponent = getExponent(currency);
  return {
    amountBeforeTax: formatAmount(beforeTax, exponent),
    tax: formatAmount(tax, exponent),
    totalAmount: formatAmount(total, exponent),
  };
}

function rateOf({ amounts, conversion }: Order): AccountSettings['alternateCurrencies'] {
  if (!conversion) return [];
  return [{ from: conversion.original.currency, to: amounts.currency, rate: conversion.rate }];
}

/** Everything of an order that a request may change, for its history. Contract 4.7. */
export function contentOf(order: Order): State {
  const { amounts, conversion, userId, restricted, details } = order;
  const lapsesAt = order.lapsesAt.toISOString();
  return { amounts, conversion, userId, restricted, lapsesAt, ...details };
}
