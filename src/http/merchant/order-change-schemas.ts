/** The wire shape of the calls that change an order. Contract 11.2 and 11.3. */
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { refined } from '../open-api/vocabulary.ts';
import { orderIdField } from './order-id.ts';
import { NextCalls, UserReply } from './order-reply-schemas.ts';
import {
  CreateOrderBody,
  documentedCallbackMode,
  mobileNumberDescription,
  userFields,
} from './order-schemas.ts';

export const ResolveUserBody = Type.Object(
  {
    order_id: orderIdField,
    ...userFields,
    mobile_number: Type.Unsafe<string | number>({
      type: ['string', 'number'],
      minLength: 1,
      maxLength: limits.textCharsMax,
      description: mobileNumberDescription,
    }),
  },
  { title: 'ResolveUserRequest', description: 'The consumer to link to the order.' },
);
export type ResolveUserBody = Static<typeof ResolveUserBody>;

export const ResolveUserReply = Type.Object(
  {
    user: UserReply,
    token: Type.Optional(
      Type.String({
        description:
          'Only for an order token: it replaces that token, is tied to the consumer and expires at the same time.',
      }),
    ),
    token_expiration: Type.Optional(
      Type.String({ description: 'Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff.' }),
    ),
    next: NextCalls,
  },
  {
    title: 'ResolvedUser',
    description: 'The consumer that the order is restricted to from now on.',
  },
);
export type ResolveUserReply = Static<typeof ResolveUserReply>;

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
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'The currency the order was created with; it cannot be changed.',
      }),
    ),
  },
  {
    title: 'UpdateOrderRequest',
    description:
      'Fields that are absent, null or empty stay as they are; fields that are not listed are ignored. Fields of user are merged into the stored ones; every other field is replaced as a whole. Amounts and order_line_items can be changed before the first payment attempt. An order token may change only user, the addresses, merchant_shopfront_domain, callback_url and callback_mode; any other field is refused.',
  },
);
export type UpdateOrderBody = Static<typeof UpdateOrderBody>;

export const documentedUpdateOrderBody = refined(UpdateOrderBody, {
  callback_mode: documentedCallbackMode,
});
