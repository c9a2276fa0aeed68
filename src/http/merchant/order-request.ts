/** Maps the bodies of create and update order to the domain: absent, null and empty all become absent. */
import { maskPair } from '../../domain/cards/card-fields.ts';
import { holdsCardNumber, maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { refuseField } from '../../domain/errors.ts';
import { isNumberText } from '../../domain/json/json.ts';
import type { SentAmount } from '../../domain/money/money.ts';
import type { Address, BankAccount, SentLineItem, SentUser } from '../../domain/orders/order.ts';
import type { OrderRequest } from '../../domain/orders/order-request.ts';
import type { OrderUpdate } from '../../domain/orders/order-update.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import type { Caller } from '../../security/tokens.ts';
import { getOrderId } from '../../use-cases/orders/order-access.ts';
import type {
  AddressBody,
  BankAccountBody,
  CreateOrderBody,
  LineItemBody,
  UpdateOrderBody,
  UserBody,
} from './order-schemas.ts';

export function toOrderRequest(body: CreateOrderBody): OrderRequest {
  return {
    invoiceId: toText(body.invoice_id) ?? '',
    currency: body.currency ?? '',
    ...sentAmounts(body),
    details: withoutAbsent({
      ...toObjects(body),
      bankAccount: orAbsent(toBankAccount(body.bank_account ?? {})),
      customAttributes: toCustomAttributes(body.custom_attributes),
      ...toTexts(body),
      validateOrderLineItem: body.validate_order_line_item || undefined,
    }),
  };
}

export function toOrderUpdate(body: UpdateOrderBody): OrderUpdate {
  return withoutAbsent({
    currency: toText(body.currency),
    ...sentAmounts(body),
    details: withoutAbsent({
      ...toObjects(body),
      // An update cannot remove a detail.
      customAttributes: orAbsent(toCustomAttributes(body.custom_attributes) ?? []),
      ...toTexts(body),
    }),
  });
}

/** What a payment link may change of its order. Contract 19.2. */
export function toLinkUpdate(
  body: Pick<
    UpdateOrderBody,
    'currency' | 'amount_before_tax' | 'tax' | 'total_amount' | 'order_line_items' | 'description'
  >,
): OrderUpdate {
  return withoutAbsent({
    currency: toText(body.currency),
    ...sentAmounts(body),
    details: withoutAbsent({
      lineItems: orAbsent((body.order_line_items ?? []).map(toLineItem)),
      description: freeText(body.description),
    }),
  });
}

function sentAmounts(body: Pick<UpdateOrderBody, 'amount_before_tax' | 'tax' | 'total_amount'>) {
  return {
    amountBeforeTax: sentAmount(body, 'amount_before_tax'),
    tax: sentAmount(body, 'tax'),
    totalAmount: sentAmount(body, 'total_amount'),
  };
}

type OrderCall = { readonly caller: Caller; readonly body: { readonly order_id?: string | null } };

export function readOrderId({ caller, body }: OrderCall) {
  return getOrderId(caller, body.order_id || undefined);
}

export function toSentUser(body: UserBody): SentUser {
  return withoutAbsent({
    email: freeText(body.email),
    firstName: freeText(body.first_name),
    lastName: freeText(body.last_name),
    countryCode: freeText(body.country_code),
    // Not masked here: with its country code a phone number may look like a card number. The domain decides.
    mobileNumber: body.mobile_number === '' ? undefined : (body.mobile_number ?? undefined),
  });
}

type SentObjects = Pick<
  UpdateOrderBody,
  'user' | 'shipping_address' | 'billing_address' | 'order_line_items'
>;

/** Shops without a consumer, an address or a cart send them empty. Contract 3.2. */
function toObjects(body: SentObjects) {
  return {
    user: orAbsent(toSentUser(body.user ?? {})),
    shippingAddress: orAbsent(toAddress(body.shipping_address ?? {})),
    billingAddress: orAbsent(toAddress(body.billing_address ?? {})),
    lineItems: orAbsent(body.order_line_items?.map(toLineItem) ?? []),
  };
}

function orAbsent<Shape extends object>(shape: Shape): Shape | undefined {
  return Object.keys(shape).length === 0 ? undefined : shape;
}

function toTexts(body: Omit<UpdateOrderBody, 'order_id'>) {
  return {
    callbackUrl: freeText(body.callback_url),
    callbackMode: freeText(body.callback_mode),
    description: freeText(body.description),
    referrerPlatform: freeText(body.referrer_platform),
    referrerPlatformVersion: freeText(body.referrer_platform_version),
    ipAddress: freeText(body.ip_address),
    merchantShopfrontDomain: freeText(body.merchant_shopfront_domain),
  };
}

function toAddress(body: AddressBody): Address {
  return withoutAbsent({
    address1: freeText(body.address_1),
    street: freeText(body.street),
    landmark: freeText(body.landmark),
    area: freeText(body.area),
    city: freeText(body.city),
    state: freeText(body.state),
    pincode: freeText(body.pincode),
    addressType: freeText(body.address_type),
  });
}

function toLineItem(body: LineItemBody, index: number): SentLineItem {
  for (const name of ['rate', 'quantity', 'amount_before_tax', 'tax', 'total_amount'] as const) {
    refuseCardNumber(`order_line_items[${index}].${name}`, body[name]);
  }
  return withoutAbsent({
    skuId: freeText(body.sku_id),
    title: maskCardNumbers(body.title),
    description: freeText(body.description),
    imageUrl: body.image_url === false ? false : freeText(body.image_url),
    rate: sentAmount(body, 'rate'),
    quantity: sentAmount(body, 'quantity') ?? '',
    amountBeforeTax: sentAmount(body, 'amount_before_tax'),
    tax: sentAmount(body, 'tax'),
    totalAmount: sentAmount(body, 'total_amount'),
  });
}

function toBankAccount(body: BankAccountBody): BankAccount {
  return withoutAbsent({
    // Not masked, although its digits may look like a card number.
    accountNumber: toText(body.account_number),
    name: freeText(body.name),
    ifsc: freeText(body.ifsc),
  });
}

/** Numbers and booleans become their text. Contract 3.2. */
function toCustomAttributes(body: CreateOrderBody['custom_attributes']) {
  if (!body) return undefined;
  return Object.entries(body)
    .filter((pair): pair is [string, string | number | boolean] => pair[1] !== null)
    .flatMap(([key, value]) => {
      const masked = maskPair(key, String(value));
      return masked ? [masked] : [];
    });
}

/** Masks card numbers that a merchant may have sent by mistake. Contract 8.5. */
function freeText(value: string | number | null | undefined): string | undefined {
  const text = toText(value);
  return text === undefined ? undefined : maskCardNumbers(text);
}

/** A number cannot be masked. Decimals do not count: a rate may have as many digits as a card number. */
function refuseCardNumber(field: string, value: string | number | null | undefined): void {
  // Fast path for nearly every amount.
  if (typeof value === 'number' && value < 1e12) return;
  const [whole = ''] = String(value ?? '').split('.');
  if (holdsCardNumber(whole)) refuseField(field, 'holds a card number: send the amount only');
}

/** Empty strings and nulls count as absent; numbers become their text. */
export function toText(value: string | number | null | undefined): string | undefined {
  return value === null || value === undefined || value === '' ? undefined : String(value);
}

/** A number parsed into its exact text is still a number: floating point may have produced it. Contract 3.9. */
export function sentAmount<Name extends string>(
  body: { readonly [Field in Name]?: string | number | null },
  name: Name,
): SentAmount | undefined {
  const value = body[name];
  if (value === null || value === undefined || value === '') return undefined;
  return typeof value === 'string' && isNumberText(body, name) ? { numberText: value } : value;
}
