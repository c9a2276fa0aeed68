/** Arguments that several commands have. */
import type { ArgumentSpec } from './command.ts';

export const accountArgument = {
  name: 'ACCOUNT_ID',
  phrase: 'an account id',
  text: 'The account, such as acc_4f9KxQ2mPz7LbT1c.',
} as const satisfies ArgumentSpec;

export const deliveryArgument = {
  name: 'DELIVERY_ID',
  phrase: 'a delivery id',
  text: 'The delivery, as "inbox list" prints it.',
} as const satisfies ArgumentSpec;
