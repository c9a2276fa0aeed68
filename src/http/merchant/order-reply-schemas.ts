/** The replies about orders: one source for serialisation, types and the OpenAPI page. Contract 3.15 to 3.17. */
import { type Static, Type } from 'typebox';
import { orderStatuses } from '../../domain/orders/order.ts';
import { field, list, number, object, optionalText, text, word } from '../open-api/fields.ts';
import { Currency } from './order-schemas.ts';

export const CurrencyConversionReply = object(
  'CurrencyConversion',
  'The amounts that were sent; present only when the order was converted.',
  {
    original_currency: text('ISO 4217 code of the currency that was sent.'),
    converted_currency: text('ISO 4217 code of the currency that the order is processed in.'),
    exchange_rate: number('Units of the converted currency for one unit of the original one.'),
    conversion_reason: word(
      ['ALTERNATE_CURRENCY_CONFIG'],
      'Always that the account has an alternate currency for the one that was sent.',
    ),
    original_amount_before_tax: number('Amount before tax as sent, in major units.'),
    original_tax: number('Tax as sent, in major units; 0 when none was sent.'),
    original_total_amount: number('Total as sent, in major units.'),
  },
);

export const UserReply = object('User', 'The consumer of the order.', {
  email: optionalText('E-mail address; masked for an order token, such as a***a@example.com.'),
  first_name: optionalText('First name; masked for an order token, such as A***.'),
  last_name: optionalText('Last name; masked for an order token, such as R***.'),
  country_code: text('Telephone country code with a leading +.'),
  mobile_number: Type.Optional(
    field(
      ['number', 'string'],
      'A number; for an order token text with all but the last four digits masked.',
    ),
  ),
  user_id: text(
    'Identifier of the consumer. Set with a merchant token, it is the same in all orders of the account; set with an order token, it is valid for this order only.',
  ),
});

export const NextCalls = list(
  object('NextCall', 'A recommended next call.', {
    action: text('Name of the recommended call.'),
    url: text('Path of the call, to be appended to the base URL; for redirect a whole URL.'),
  }),
  'The calls that are possible now; empty when there is none.',
);

export const amountFields = {
  amount_before_tax: number('Cart amount before tax, in major units.'),
  tax: number('Tax on the whole cart, in major units.'),
  total_amount: number('Total including tax, in major units.'),
};

const orderReplyFields = {
  order_id: text('Identifier of the order; used in later calls.'),
  order_date: text('Time of creation: UTC, YYYY-MM-DD HH:MM:SS.ffffff.'),
  status: word(
    orderStatuses,
    'new: no payment attempt yet. pending: at least one attempt, none has paid the order. completed: paid. lapsed: expired, or too many failed attempts; a late success still completes it.',
  ),
  invoice_id: text('Your own reference for the order, as sent.'),
  user: Type.Optional(UserReply),
  attempts: Type.Integer({ description: 'Number of payment attempts; 0 for a new order.' }),
  currency: Type.Unsafe<string>({
    ...Currency,
    description: 'ISO 4217 code of the currency that the order is processed in.',
  }),
  ...amountFields,
  currency_conversion: Type.Optional(CurrencyConversionReply),
  token: optionalText(
    'Order token: launches checkout and opens this order only. Valid 20 minutes.',
  ),
  token_expiration: optionalText('Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff.'),
  refresh_token: optionalText('Gets a new order token from refresh-token. Valid 24 hours.'),
  refresh_token_expiration: optionalText(
    'Expiry of refresh_token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff.',
  ),
  next: NextCalls,
};

export const OrderReply = object(
  'Order',
  'An order with its tokens. Fields that do not apply are left out.',
  orderReplyFields,
);
export type OrderReply = Static<typeof OrderReply>;

const sentNumber = (description: string) =>
  Type.Optional(field(['number', 'string'], `${description} As it was sent.`));

export const CustomAttributesReply = list(
  object('CustomAttribute', 'One key and value pair.', {
    key: text('Name of the attribute.'),
    value: text('Its value, as text.'),
  }),
  'Key and value pairs attached to the order.',
);

const LineItemReply = object('LineItem', 'A cart item.', {
  sku_id: optionalText('Your product identifier.'),
  title: text('Product title.'),
  description: optionalText('Detailed description.'),
  image_url: Type.Optional(
    Type.Unsafe<string | false>({
      type: ['string', 'boolean'],
      description: 'Public image URL, or false.',
    }),
  ),
  rate: sentNumber('Pre-tax rate.'),
  quantity: sentNumber('Quantity.'),
  amount_before_tax: sentNumber('Rate multiplied by quantity.'),
  tax: sentNumber('Tax of the item.'),
  total_amount: sentNumber('Amount before tax plus tax.'),
});

const AddressReply = object('Address', 'The delivery address.', {
  address_1: optionalText('First line of the address; not for an order token.'),
  street: optionalText('Street name; not for an order token.'),
  landmark: optionalText('Landmark; not for an order token.'),
  area: optionalText('Area; not for an order token.'),
  city: optionalText('City.'),
  state: optionalText('State.'),
  pincode: optionalText('Pincode or zipcode.'),
  address_type: optionalText('A name or tag for the address.'),
});

export const FullOrderReply = object(
  'FullOrder',
  'An order with its cart, address and details. Fields that are not set are left out.',
  {
    ...orderReplyFields,
    order_line_items: Type.Optional(list(LineItemReply, 'The cart items, as they were sent.')),
    shipping_address: Type.Optional(AddressReply),
    callback_url: optionalText('Where the consumer returns to after payment.'),
    callback_mode: optionalText(
      'How the consumer returns: callback_url_post is a form post, every other value a redirect.',
    ),
    custom_attributes: Type.Optional(CustomAttributesReply),
    description: optionalText('Description of the order.'),
  },
);
export type FullOrderReply = Static<typeof FullOrderReply>;
