/** The request bodies of orders: one source for validation, types and the OpenAPI page. Contract 3.12 and 3.13. */
import { type Static, type TObject, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { currencyCodes } from '../../domain/money/currency.ts';
import { field, object, textOrNull, word, wordOrNull } from '../open-api/fields.ts';

const { textCharsMax } = limits;

/** For the reference only: the domain refuses the others. */
export const Currency = Type.Unsafe<string>({
  ...word(currencyCodes.toSorted(), 'An active ISO 4217 code with a minor unit, in upper case.'),
  title: 'Currency',
});

export const optionalText = (description: string, maxLength: number = textCharsMax) =>
  Type.Optional(field(['string', 'null'], description, { maxLength }));
export const textOrNumber = (description: string) =>
  Type.Optional(field(['string', 'number', 'null'], description, { maxLength: textCharsMax }));
const amount = (what: string) => {
  const description = `${what} A number or a decimal string, in major units.`;
  return Type.Optional(field(['number', 'string', 'null'], description, { maxLength: 64 }));
};
const nullable = <Shape extends TObject>(title: string, description: string, shape: Shape) =>
  Type.Optional(
    Type.Unsafe<Static<Shape> | null>({ ...shape, type: ['object', 'null'], title, description }),
  );

export const orderIdField = optionalText(
  'Identifier of the order, issued at creation. Required with a merchant token; an order token identifies its order.',
);
export const OrderReference = object('OrderReference', 'The order that the call is about.', {
  order_id: orderIdField,
});

export const mobileNumberDescription =
  'Mobile number: 4 to 15 digits; spaces, dashes, dots, brackets and a leading + or 00 with the country code are accepted.';
export const userFields = {
  email: optionalText('E-mail address.', limits.emailCharsMax),
  first_name: optionalText('First name.'),
  last_name: optionalText('Last name.'),
  country_code: textOrNumber(
    'Telephone country code: 91, +91 or 0091. When left out, that of mobile_number, or +91.',
  ),
  mobile_number: textOrNumber(mobileNumberDescription),
};
const UserBody = Type.Object(userFields);
export type UserBody = Static<typeof UserBody>;
const AddressBody = Type.Object({
  address_1: optionalText('First line of the address.'),
  street: optionalText('Street name.'),
  landmark: optionalText('Landmark.'),
  area: optionalText('Area.'),
  city: optionalText('City.'),
  state: optionalText('State.'),
  pincode: textOrNumber('Pincode or zipcode.'),
  address_type: optionalText('A name or tag for the address.'),
});
export type AddressBody = Static<typeof AddressBody>;
const invoiceIdDescription = 'Your own unique reference for the order.';
const BankAccountBody = Type.Object({
  account_number: textOrNumber('Account number.'),
  name: optionalText('Account holder name.'),
  ifsc: Type.Optional(
    field(['string', 'null'], 'Bank branch code (IFSC).', {
      pattern: '^([A-Z]{4}0[A-Z0-9]{6})?$',
    }),
  ),
});
export type BankAccountBody = Static<typeof BankAccountBody>;

const LineItemBody = object('LineItemRequest', 'A cart item.', {
  sku_id: textOrNumber('Your product identifier.'),
  title: Type.String({ minLength: 1, maxLength: textCharsMax, description: 'Product title.' }),
  description: optionalText('Detailed description.'),
  image_url: Type.Optional(
    Type.Unsafe<string | false | null>({
      type: ['string', 'boolean', 'null'],
      maxLength: textCharsMax,
      not: { const: true },
      description: 'Public image URL, or false.',
    }),
  ),
  rate: amount('Pre-tax rate.'),
  quantity: field(['number', 'string'], 'Quantity, more than 0.', { maxLength: 64 }),
  amount_before_tax: amount('Rate multiplied by quantity.'),
  tax: amount('Tax of the item.'),
  total_amount: amount('Amount before tax plus tax. This or rate is required.'),
});
export type LineItemBody = Static<typeof LineItemBody>;

export const CreateOrderBody = object(
  'CreateOrderRequest',
  'Fields that are not listed are ignored. Null and empty count as absent.',
  {
    // The domain refuses it where it is missing, with the other fields that are missing.
    invoice_id: Type.Optional(
      field(['string', 'number', 'null'], invoiceIdDescription, {
        maxLength: limits.invoiceIdCharsMax,
      }),
    ),
    currency: Type.Optional(textOrNull('ISO 4217 code, upper case.')),
    amount_before_tax: amount('Cart amount before tax.'),
    tax: amount('Tax on the whole cart; 0 when left out.'),
    total_amount: amount('Total including tax. Required.'),
    user: nullable(
      'UserRequest',
      'The consumer. Required, with email, first_name and mobile_number, unless the account has optional order details. Without a single value it counts as absent.',
      UserBody,
    ),
    shipping_address: nullable(
      'ShippingAddressRequest',
      'Delivery address, with at least one field. Required unless the account has optional order details. Without a single value it counts as absent.',
      AddressBody,
    ),
    billing_address: nullable('BillingAddressRequest', 'Billing address.', AddressBody),
    order_line_items: Type.Optional(
      Type.Unsafe<LineItemBody[] | null>({
        type: ['array', 'null'],
        items: LineItemBody,
        maxItems: limits.lineItemsMax,
        description:
          'Cart items. Required unless the account has optional order details. An empty list counts as absent.',
      }),
    ),
    bank_account: nullable(
      'BankAccountRequest',
      'Bank account the payment must come from (third-party verification). The order can then be paid only in modes whose provider checks it. Send all three fields.',
      BankAccountBody,
    ),
    custom_attributes: Type.Optional(
      Type.Unsafe<Record<string, string | number | boolean | null> | null>({
        type: ['object', 'null'],
        maxProperties: limits.customAttributesMax,
        propertyNames: { minLength: 1, maxLength: limits.customAttributeKeyCharsMax },
        additionalProperties: {
          type: ['string', 'number', 'boolean', 'null'],
          maxLength: limits.customAttributeValueCharsMax,
          description: 'Numbers and booleans become their text.',
        },
        description: 'Key and value pairs attached to the order.',
      }),
    ),
    callback_url: optionalText(
      'Where the consumer returns to after payment: https, or http on loopback.',
    ),
    callback_mode: optionalText('callback_url_redirect (the default) or callback_url_post.'),
    description: optionalText('Description of the order.'),
    validate_order_line_item: Type.Optional(
      field(['boolean', 'null'], 'Check the arithmetic of the cart items and their sum.'),
    ),
    referrer_platform: optionalText('For internal use.'),
    referrer_platform_version: optionalText('For internal use.'),
    ip_address: optionalText('IP address of the server that creates the order.'),
    merchant_shopfront_domain: optionalText('Domain from which payments will be captured.'),
  },
);
export type CreateOrderBody = Static<typeof CreateOrderBody>;

/** These fields are fixed when the order is created. */
const {
  invoice_id: _invoiceId,
  bank_account: _bankAccount,
  validate_order_line_item: _validation,
  ...changeable
} = CreateOrderBody.properties;

export const UpdateOrderBody = object(
  'UpdateOrderRequest',
  'Fields that are absent, null or empty stay as they are; fields that are not listed are ignored. Fields of user are merged into the stored ones; every other field is replaced as a whole. Amounts and order_line_items can be changed before the first payment attempt. An order token may change only user, the addresses, merchant_shopfront_domain, callback_url and callback_mode, and set custom_attributes while the order has none; any other field is refused.',
  {
    ...changeable,
    order_id: orderIdField,
    currency: Type.Optional(
      textOrNull('The currency the order was created with; it cannot be changed.'),
    ),
  },
);
export type UpdateOrderBody = Static<typeof UpdateOrderBody>;

/** More precise than what is validated: the domain refuses the rest, and an unknown callback mode is a redirect. */
export const documentedCallbackMode = Type.Optional(
  wordOrNull(
    ['callback_url_redirect', 'callback_url_post'],
    'callback_url_redirect, the default: a GET with ?response=. callback_url_post: a form post with the field response. Any other value is taken as callback_url_redirect.',
  ),
);
export const documentedOrderFields = {
  invoice_id: field(['string', 'number'], invoiceIdDescription, {
    minLength: 1,
    maxLength: limits.invoiceIdCharsMax,
  }),
  currency: Currency,
  total_amount: field(
    ['number', 'string'],
    'Total including tax, more than 0. A number or a decimal string, in major units. With amount_before_tax and tax it must add up exactly.',
    { maxLength: 64 },
  ),
  callback_mode: documentedCallbackMode,
};
