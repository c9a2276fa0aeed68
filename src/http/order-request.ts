/** The bodies of create and update order to our own names: absent, null and empty all become absent. */
import { maskCardNumbersIn, mayHoldCardData } from '../domain/card-numbers.ts';
import type { Address, BankAccount, LineItem, SentNumber, User } from '../domain/order.ts';
import type { OrderRequest } from '../domain/order-request.ts';
import type { OrderUpdate } from '../domain/order-update.ts';
import type { UpdateOrderBody } from './order-change-schemas.ts';
import type {
  AddressBody,
  BankAccountBody,
  CreateOrderBody,
  LineItemBody,
  UserBody,
} from './order-schemas.ts';

export function toOrderRequest(body: CreateOrderBody): OrderRequest {
  return {
    invoiceId: String(body.invoice_id),
    currency: body.currency,
    amountBeforeTax: present(body.amount_before_tax),
    tax: present(body.tax),
    totalAmount: present(body.total_amount),
    details: withoutCardNumbers({
      user: body.user ? toUser(body.user) : undefined,
      shippingAddress: body.shipping_address ? toAddress(body.shipping_address) : undefined,
      billingAddress: toBillingAddress(body.billing_address),
      lineItems: body.order_line_items?.map(toLineItem),
      bankAccount: body.bank_account ? toBankAccount(body.bank_account) : undefined,
      customAttributes: toCustomAttributes(body.custom_attributes),
      ...toTexts(body),
      validateOrderLineItem: body.validate_order_line_item || undefined,
    }),
  };
}

/** What is empty is left out too: an update has no way to take a detail away. */
export function toOrderUpdate(body: UpdateOrderBody): OrderUpdate {
  return withoutAbsent({
    currency: toText(body.currency),
    amountBeforeTax: present(body.amount_before_tax),
    tax: present(body.tax),
    totalAmount: present(body.total_amount),
    details: withoutEmpty(
      withoutCardNumbers({
        user: toUserMembers(body.user ?? {}),
        shippingAddress: toAddress(body.shipping_address ?? {}),
        billingAddress: toBillingAddress(body.billing_address),
        lineItems: body.order_line_items?.map(toLineItem),
        customAttributes: toCustomAttributes(body.custom_attributes),
        ...toTexts(body),
      }),
    ),
  });
}

/** Free text may hold a card number by mistake; it must not get any further. Decision 8.4. */
function withoutCardNumbers<Details extends OrderUpdate['details']>(details: Details): Details {
  const present = withoutAbsent(details);
  if (!mayHoldCardData(JSON.stringify(present))) return present;
  const { bankAccount, customAttributes, ...others } = present;
  const masked = maskCardNumbersIn(others) as Details;
  return withoutAbsent({ ...masked, bankAccount, customAttributes });
}

/** A consumer on their own, as resolve user names them. */
export function toConsumer(body: UserBody): User {
  return maskCardNumbersIn(toUser(body)) as User;
}

function toUser(body: UserBody): User {
  return { countryCode: '+91', ...toUserMembers(body) };
}

function toUserMembers(body: UserBody): Partial<User> {
  const countryCode = toText(body.country_code);
  return withoutAbsent({
    email: toText(body.email),
    firstName: toText(body.first_name),
    lastName: toText(body.last_name),
    countryCode: countryCode && withPlus(countryCode),
    mobileNumber: toText(body.mobile_number),
  });
}

function withPlus(countryCode: string): string {
  return countryCode.startsWith('+') ? countryCode : `+${countryCode}`;
}

/** The members that are text and nothing else. */
function toTexts(body: Omit<UpdateOrderBody, 'order_id'>) {
  return {
    callbackUrl: toText(body.callback_url),
    callbackMode: toText(body.callback_mode),
    description: toText(body.description),
    referrerPlatform: toText(body.referrer_platform),
    referrerPlatformVersion: toText(body.referrer_platform_version),
    ipAddress: toText(body.ip_address),
    merchantShopfrontDomain: toText(body.merchant_shopfront_domain),
  };
}

function toAddress(body: AddressBody): Address {
  return withoutAbsent({
    address1: toText(body.address_1),
    street: toText(body.street),
    landmark: toText(body.landmark),
    area: toText(body.area),
    city: toText(body.city),
    state: toText(body.state),
    pincode: toText(body.pincode),
    addressType: toText(body.address_type),
  });
}

/** An empty delivery address is a mistake; an empty billing address is none. */
function toBillingAddress(body: AddressBody | null | undefined): Address | undefined {
  const address = toAddress(body ?? {});
  return Object.keys(address).length === 0 ? undefined : address;
}

function toLineItem(body: LineItemBody): LineItem {
  return withoutAbsent({
    skuId: toText(body.sku_id),
    title: body.title,
    description: toText(body.description),
    imageUrl: body.image_url === false ? false : toText(body.image_url),
    rate: present(body.rate),
    quantity: body.quantity,
    amountBeforeTax: present(body.amount_before_tax),
    tax: present(body.tax),
    totalAmount: present(body.total_amount),
  });
}

function toBankAccount(body: BankAccountBody): BankAccount {
  return withoutAbsent({
    accountNumber: toText(body.account_number),
    name: toText(body.name),
    ifsc: toText(body.ifsc),
  });
}

/** Numbers and booleans become their text. Decision 3.2. */
function toCustomAttributes(body: CreateOrderBody['custom_attributes']) {
  if (!body) return undefined;
  return Object.entries(body)
    .filter((pair): pair is [string, string | number | boolean] => pair[1] !== null)
    .map(([key, value]) => [key, maskAttribute(key, String(value))] as const);
}

/** Judged by its key, as a member would be: a reference stays, a security code does not. */
function maskAttribute(key: string, value: string): string {
  const masked = maskCardNumbersIn({ [key]: value }) as Record<string, string>;
  return Object.values(masked)[0] ?? value;
}

/** Empty strings and nulls count as absent; a number is taken by its text. */
export function toText(value: string | number | null | undefined): string | undefined {
  return value === null || value === undefined || value === '' ? undefined : String(value);
}

function present(value: SentNumber | null | undefined): SentNumber | undefined {
  return value === null || value === '' ? undefined : value;
}

/** Absent members are left out rather than set to undefined, so that equal content is equal. */
function withoutAbsent<Shape extends object>(shape: Shape): Shape {
  const kept: Partial<Shape> = {};
  for (const name in shape) if (shape[name] !== undefined) kept[name] = shape[name];
  return kept as Shape;
}

function withoutEmpty<Shape extends object>(shape: Shape): Shape {
  return Object.fromEntries(
    Object.entries(shape).filter(
      ([, value]) => typeof value !== 'object' || Object.keys(value).length > 0,
    ),
  ) as Shape;
}
