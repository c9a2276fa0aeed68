/** The wire shape of the calls that change an order. Contract 11.2 and 11.3. */
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { orderIdField } from './order-id.ts';
import {
  CreateOrderBody,
  mobileNumberWords,
  NextCalls,
  UserReply,
  userFields,
} from './order-schemas.ts';

export const ResolveUserBody = Type.Object({
  order_id: orderIdField,
  ...userFields,
  mobile_number: Type.Unsafe<string | number>({
    type: ['string', 'number'],
    minLength: 1,
    maxLength: limits.textCharsMax,
    description: mobileNumberWords,
  }),
});
export type ResolveUserBody = Static<typeof ResolveUserBody>;

export const ResolveUserReply = Type.Object({
  user: UserReply,
  token: Type.Optional(
    Type.String({
      description:
        'For an order token: the one to use from now on. It names the consumer and expires when the one of the call does.',
    }),
  ),
  token_expiration: Type.Optional(Type.String()),
  next: NextCalls,
});
export type ResolveUserReply = Static<typeof ResolveUserReply>;

const {
  invoice_id: _isForEver,
  bank_account: _isVerified,
  validate_order_line_item: _isChosenAtCreation,
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
    description:
      'Fields that are absent, null or empty stay as they are; those that are not listed are ignored. Fields of user are laid over what is known, everything else is replaced whole. Amounts and order_line_items can be changed before the first payment attempt. An order token may change only user, the addresses, merchant_shopfront_domain, callback_url and callback_mode; any other field is refused.',
  },
);
export type UpdateOrderBody = Static<typeof UpdateOrderBody>;
