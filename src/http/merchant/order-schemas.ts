/** The request bodies of orders: one source for validation, types and the OpenAPI page. Contract 3.12 and 3.13. */
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { currencyCodes } from '../../domain/money/currency.ts';
import { textOrNull, word, wordOrNull } from '../open-api/fields.ts';

const { textCharsMax } = limits;

/** For the reference only: the domain refuses the others. */
export const Currency = Type.Unsafe<string>({
  ...word(currencyCodes.toSorted(), 'An active ISO 4217 code with a minor unit, in upper case.'),
  title: 'Currency',
});

export const optionalText = (description: string, maxLength: number = textCharsMax) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description }));
const textOrNumber = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ['string', 'number', 'null'],
      maxLength: textCharsMax,
      description,
    }),
  );
const amount = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | string | null>({
      type: ['number', 'string', 'null'],
      maxLength: 64,
      description: `${description} A number or a decimal string, in major units.`,
    }),
  );
const nullableObject = <Shape>(
  title: string,
  properties: Record<string, object>,
  description: string,
) =>
  Type.Optional(
    Type.Unsafe<Shape | null>({
      ...Type.Object(properties as never),
      type: ['object', 'null'],
      title,
      description,
    }),
  );

export const orderIdField = optionalText(
  'Identifier of the order, issued at creation. Required with a merchant token; an order token identifies its order.',
);
export const OrderReference = Type.Object(
  { order_id: orderIdField },
  { title: 'OrderReference', description: 'The order that the call is about.' },
);

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
const addressFields = {
  address_1: optionalText('First line of the address.'),
  street: optionalText('Street name.'),
  landmark: optionalText('Landmark.'),
  area: optionalText('Area.'),
  city: optionalText('City.'),
  state: optionalText('State.'),
  pincode: textOrNumber('Pincode or zipcode.'),
  address_type: optionalText('A name or tag for the address.'),
};
const bankAccountFields = {
  account_number: textOrNumber('Account number.'),
  name: optionalText('Account holder name.'),
  ifsc: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      pattern: '^([A-Z]{4}0[A-Z0-9]{6})?$',
      description: 'Bank branch code (IFSC).',
    }),
  ),
};

const UserBody = Type.Object(userFields);
const AddressBody = Type.Object(addressFields);
const BankAccountBody = Type.Object(bankAccountFields);
export type UserBody = Static<typeof UserBody>;
export type AddressBody = Static<typeof AddressBody>;
export type BankAccountBody = Static<typeof BankAccountBody>;

const LineItemBody = Type.Object(
  {
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
    quantity: Type.Unsafe<number | string>({
      type: ['number', 'string'],
      maxLength: 64,
      description: 'Quantity, more than 0.',
    }),
    amount_before_tax: amount('Rate multiplied by quantity.'),
    tax: amount('Tax of the item.'),
    total_amount: amount('Amount before tax plus tax. This or rate is required.'),
  },
  { title: 'LineItemRequest', description: 'A cart item.' },
);
export type LineItemBody = Static<typeof LineItemBody>;

export const CreateOrderBody = Type.Object(
  {
    invoice_id: Type.Unsafe<string | number>({
      type: ['string', 'number'],
      minLength: 1,
      maxLength: limits.invoiceIdCharsMax,
      description: 'Your own unique reference for the order.',
    }),
    currency: Type.String({ description: 'ISO 4217 code, upper case.', examples: ['INR'] }),
    amount_before_tax: amount('Cart amount before tax.'),
    tax: amount('Tax on the whole cart; 0 when left out.'),
    total_amount: amount('Total including tax. Required.'),
    user: nullableObject<UserBody>(
      'UserRequest',
      userFields,
      'The consumer. Required, with email, first_name and mobile_number, unless the account has optional order details.',
    ),
    shipping_address: nullableObject<AddressBody>(
      'ShippingAddressRequest',
      addressFields,
      'Delivery address, with at least one field. Required unless the account has optional order details.',
    ),
    billing_address: nullableObject<AddressBody>(
      'BillingAddressRequest',
      addressFields,
      'Billing address.',
    ),
    order_line_items: Type.Optional(
      Type.Unsafe<LineItemBody[] | null>({
        type: ['array', 'null'],
        items: LineItemBody,
        maxItems: limits.lineItemsMax,
        description:
          'Cart items, at least one. Required unless the account has optional order details.',
      }),
    ),
    bank_account: nullableObject<BankAccountBody>(
      'BankAccountRequest',
      bankAccountFields,
      'Bank account the payment must come from (third-party verification).',
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
      Type.Unsafe<boolean | null>({
        type: ['boolean', 'null'],
        description: 'Check the arithmetic of the cart items and their sum.',
      }),
    ),
    referrer_platform: optionalText('For internal use.'),
    referrer_platform_version: optionalText('For internal use.'),
    ip_address: optionalText('IP address of the server that creates the order.'),
    merchant_shopfront_domain: optionalText('Domain from which payments will be captured.'),
  },
  {
    title: 'CreateOrderRequest',
    description: 'Fields that are not listed are ignored. Null and empty count as absent.',
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

export const UpdateOrderBody = Type.Object(
  {
    ...changeable,
    order_id: orderIdField,
    currency: Type.Optional(
      textOrNull('The currency the order was created with; it cannot be changed.'),
    ),
  },
  {
    title: 'UpdateOrderRequest',
    description:
      'Fields that are absent, null or empty stay as they are; fields that are not listed are ignored. Fields of user are merged into the stored ones; every other field is replaced as a whole. Amounts and order_line_items can be changed before the first payment attempt. An order token may change only user, the addresses, merchant_shopfront_domain, callback_url and callback_mode; any other field is refused.',
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
  currency: Currency,
  total_amount: Type.Unsafe<number | string>({
    type: ['number', 'string'],
    maxLength: 64,
    description:
      'Total including tax, more than 0. A number or a decimal string, in major units. With amount_before_tax and tax it must add up exactly.',
  }),
  callback_mode: documentedCallbackMode,
};
