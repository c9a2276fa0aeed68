/**
 * Masks changes of an order before they enter its history, which is stored for ever: personal data appears there as an
 * order token would see it. A bank account cannot be changed. A change stays even if masking makes both values equal. Contract 2.3, 2.9 and 4.7.
 */
import type { Change } from '../history.ts';
import type { Address, User } from '../orders/order.ts';
import { maskAddress, maskName, maskPhone } from './mask.ts';

export function maskChange({ field, from, to }: Change): Change {
  const mask = masks[field];
  return mask
    ? { field, from: maskValue(from, mask), to: maskValue(to, mask) }
    : { field, from, to };
}

type Mask = (value: never) => unknown;

const masks: Readonly<Record<string, Mask | undefined>> = {
  user: maskUser,
  shippingAddress: reduceAddress,
  billingAddress: reduceAddress,
};

function maskValue(value: unknown, mask: Mask): unknown {
  return value === null || value === undefined ? value : mask(value as never);
}

function maskUser(user: User): User {
  const { email, firstName, lastName, mobileNumber } = user;
  return {
    ...user,
    ...(email !== undefined && { email: maskAddress(email) }),
    ...(firstName !== undefined && { firstName: maskName(firstName) }),
    ...(lastName !== undefined && { lastName: maskName(lastName) }),
    ...(mobileNumber !== undefined && { mobileNumber: maskPhone(mobileNumber) }),
  };
}

/** The part of an address that an order token may see. */
function reduceAddress({ city, state, pincode, addressType }: Address): Address {
  return {
    ...(city !== undefined && { city }),
    ...(state !== undefined && { state }),
    ...(pincode !== undefined && { pincode }),
    ...(addressType !== undefined && { addressType }),
  };
}
