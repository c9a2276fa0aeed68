/** A consumer as lists show them: masked, because output is copied into tickets and logs. Contract 2.3. */

import { maskAddress, maskName, maskPhone } from '../../domain/consumers/mask.ts';
import type { User } from '../../domain/orders/order.ts';

type MaskedUser = {
  readonly first_name: string | null;
  readonly email: string | null;
  readonly mobile_number: string | null;
};

export function maskedUser(user: User | null | undefined): MaskedUser | null {
  if (!user) return null;
  const { firstName, email, mobileNumber } = user;
  return {
    first_name: firstName === undefined ? null : maskName(firstName),
    email: email === undefined ? null : maskAddress(email),
    mobile_number: mobileNumber === undefined ? null : maskPhone(mobileNumber),
  };
}

export function consumerText(user: MaskedUser | null): string | null {
  return user && [user.email, user.mobile_number].filter((text) => text !== null).join(' ');
}
