/** How to reach the consumer of an order, as far as the order says. */
import type { User } from './order.ts';

export type ConsumerContact = {
  readonly email?: string;
  /** With the country code: `+919876543210`. */
  readonly phone?: string;
};

export function contactOf(user: User | undefined): ConsumerContact {
  const { email, countryCode, mobileNumber } = user ?? {};
  return {
    ...(email !== undefined && { email }),
    ...(mobileNumber !== undefined && { phone: `${countryCode}${mobileNumber}` }),
  };
}
