/** Renders an order. Contract 2.3, 3.6, 3.8, 3.11 and 3.15. */
import { maskAddress, maskName, maskPhone } from '../../domain/consumers/mask.ts';
import { getExponent } from '../../domain/money/currency.ts';
import { majorNumber } from '../../domain/money/money.ts';
import {
  type Address,
  type Amounts,
  type CustomAttributes,
  isOpen,
  type LineItem,
  type Order,
  orderStatus,
  type User,
} from '../../domain/orders/order.ts';
import { microsecondTimestamp, spacedTimestamp } from '../../domain/time.ts';
import type { IssuedToken } from '../../security/tokens.ts';
import type { FullOrderReply, OrderReply } from './order-reply-schemas.ts';

/** The calls recommended for an open order; a closed order accepts none of them. */
const nextCalls = [
  { action: 'payment_modes', url: '/api/v3/payment-modes' },
  { action: 'resolve_user', url: '/api/v3/resolve-user' },
  { action: 'update_order', url: '/api/v3/update-order' },
];

type ViewOptions = {
  readonly now: Date;
  /** True for an order token: personal data is masked. */
  readonly masked: boolean;
  readonly token?: IssuedToken | undefined;
  readonly refreshToken?: IssuedToken | undefined;
};

export function orderView(order: Order, options: ViewOptions): OrderReply {
  const { user } = order.details;
  const status = orderStatus(order, options.now);
  return {
    order_id: order.orderId,
    order_date: spacedTimestamp(order.createdAt),
    status,
    invoice_id: order.invoiceId,
    user: user && order.userId ? userView(user, order.userId, options.masked) : undefined,
    attempts: order.attempts,
    currency: order.amounts.currency,
    ...amountsView(order.amounts),
    currency_conversion: conversionView(order),
    token: options.token?.token,
    token_expiration: options.token && microsecondTimestamp(options.token.expiresAt),
    refresh_token: options.refreshToken?.token,
    refresh_token_expiration:
      options.refreshToken && microsecondTimestamp(options.refreshToken.expiresAt),
    next: isOpen(status) ? nextCalls : [],
  };
}

export function fullOrderView(order: Order, options: ViewOptions): FullOrderReply {
  const { lineItems, shippingAddress, customAttributes, ...others } = order.details;
  return {
    ...orderView(order, options),
    order_line_items: lineItems?.map(lineItemView),
    shipping_address: shippingAddress && addressView(shippingAddress, options.masked),
    callback_url: others.callbackUrl,
    callback_mode: others.callbackMode,
    custom_attributes: customAttributes?.length ? attributesView(customAttributes) : undefined,
    description: others.description,
  };
}

export function attributesView(attributes: CustomAttributes) {
  return attributes.map(([key, value]) => ({ key, value }));
}

export function amountsView(amounts: Amounts) {
  const exponent = getExponent(amounts.currency);
  return {
    amount_before_tax: majorNumber(amounts.beforeTax, exponent),
    tax: majorNumber(amounts.tax, exponent),
    total_amount: majorNumber(amounts.total, exponent),
  };
}

export function conversionView({ amounts, conversion }: Order) {
  if (!conversion) return undefined;
  const original = amountsView(conversion.original);
  return {
    original_currency: conversion.original.currency,
    converted_currency: amounts.currency,
    exchange_rate: Number(conversion.rate),
    conversion_reason: 'ALTERNATE_CURRENCY_CONFIG',
    original_amount_before_tax: original.amount_before_tax,
    original_tax: original.tax,
    original_total_amount: original.total_amount,
  };
}

export function userView(user: User, userId: string, masked: boolean) {
  const show = (value: string | undefined, mask: (value: string) => string) =>
    value !== undefined && masked ? mask(value) : value;
  const { mobileNumber } = user;
  return {
    email: show(user.email, maskAddress),
    first_name: show(user.firstName, maskName),
    last_name: show(user.lastName, maskName),
    country_code: user.countryCode,
    mobile_number: mobileNumber && (masked ? maskPhone(mobileNumber) : Number(mobileNumber)),
    user_id: userId,
  };
}

function lineItemView(item: LineItem) {
  return {
    sku_id: item.skuId,
    title: item.title,
    description: item.description,
    image_url: item.imageUrl,
    rate: item.rate,
    quantity: item.quantity,
    amount_before_tax: item.amountBeforeTax,
    tax: item.tax,
    total_amount: item.totalAmount,
  };
}

/** An order token sees city, state and pincode, and nothing more precise. Contract 2.9. */
function addressView(address: Address, masked: boolean) {
  return {
    address_1: masked ? undefined : address.address1,
    street: masked ? undefined : address.street,
    landmark: masked ? undefined : address.landmark,
    area: masked ? undefined : address.area,
    city: address.city,
    state: address.state,
    pincode: address.pincode,
    address_type: address.addressType,
  };
}
