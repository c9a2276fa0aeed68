/** The replies about orders: one source for serialisation, types and the OpenAPI page. Contract 3.14 to 3.16. */
import { type Static, Type } from 'typebox';

const number = Type.Number();
const string = Type.String();

export const CurrencyConversionReply = Type.Object({
  original_currency: string,
  converted_currency: string,
  exchange_rate: number,
  conversion_reason: string,
  original_amount_before_tax: number,
  original_tax: number,
  original_total_amount: number,
});

export const UserReply = Type.Object({
  email: Type.Optional(string),
  first_name: Type.Optional(string),
  last_name: Type.Optional(string),
  country_code: string,
  mobile_number: Type.Optional(
    Type.Unsafe<number | string>({
      type: ['number', 'string'],
      description: 'A number; masked text for an order token.',
    }),
  ),
  user_id: string,
});

export const NextCalls = Type.Array(Type.Object({ action: string, url: string }));

const orderReplyFields = {
  order_id: string,
  order_date: Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS.ffffff' }),
  status: Type.Unsafe<string>({ type: 'string', enum: ['new', 'pending', 'completed', 'lapsed'] }),
  invoice_id: string,
  user: Type.Optional(UserReply),
  attempts: Type.Integer(),
  currency: string,
  amount_before_tax: number,
  tax: number,
  total_amount: number,
  currency_conversion: Type.Optional(CurrencyConversionReply),
  token: Type.Optional(Type.String({ description: 'Launches checkout; valid 20 minutes.' })),
  token_expiration: Type.Optional(string),
  refresh_token: Type.Optional(Type.String({ description: 'Regenerates token; valid 24 hours.' })),
  refresh_token_expiration: Type.Optional(string),
  next: NextCalls,
};

export const OrderReply = Type.Object(orderReplyFields);
export type OrderReply = Static<typeof OrderReply>;

const optionalString = Type.Optional(string);
const sentNumber = Type.Optional(
  Type.Unsafe<number | string>({ type: ['number', 'string'], description: 'As it was sent.' }),
);

export const FullOrderReply = Type.Object({
  ...orderReplyFields,
  order_line_items: Type.Optional(
    Type.Array(
      Type.Object({
        sku_id: optionalString,
        title: string,
        description: optionalString,
        image_url: Type.Optional(Type.Unsafe<string | false>({ type: ['string', 'boolean'] })),
        rate: sentNumber,
        quantity: sentNumber,
        amount_before_tax: sentNumber,
        tax: sentNumber,
        total_amount: sentNumber,
      }),
    ),
  ),
  shipping_address: Type.Optional(
    Type.Object({
      address_1: optionalString,
      street: optionalString,
      landmark: optionalString,
      area: optionalString,
      city: optionalString,
      state: optionalString,
      pincode: optionalString,
      address_type: optionalString,
    }),
  ),
  callback_url: optionalString,
  callback_mode: optionalString,
  custom_attributes: Type.Optional(Type.Array(Type.Object({ key: string, value: string }))),
  description: optionalString,
});
export type FullOrderReply = Static<typeof FullOrderReply>;
