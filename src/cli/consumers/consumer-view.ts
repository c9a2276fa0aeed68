/** A consumer as lists show them: masked, because output is copied into tickets and logs. Contract 2.3. */
import { maskAddress, maskName, maskPhone } from '../../domain/consumers/mask.ts';
import type { User } from '../../domain/orders/order.ts';

export function maskedUser(user: User | null | undefined) {
  if (!user) return null;
  const { firstName, email, mobileNumber } = user;
  return {
    firstName: firstName === undefined ? null : maskName(firstName),
    email: email === undefined ? null : maskAddress(email),
    mobileNumber: mobileNumber === undefined ? null : maskPhone(mobileNumber),
  };
}

export function consumerText(user: ReturnType<typeof maskedUser>) {
  return user && [user.email, user.mobileNumber].filter((text) => text !== null).join(' ');
}
