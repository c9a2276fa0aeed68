/** Masks personal data for readers with an order token. Contract 2.3. */
import type { Change } from '../history.ts';
import type { Address, User } from '../orders/order.ts';
import { withoutAbsent } from '../without-absent.ts';

/** `asha@example.com` becomes `a***a@example.com`. Also for UPI ids. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  if (at < 1) return '***';
  const characters = [...address.slice(0, at)];
  return `${characters[0]}***${characters.at(-1)}${address.slice(at)}`;
}

/** `9876543210` becomes `******3210`. */
export function maskPhone(phone: string): string {
  const visible = phone.slice(-4);
  return '*'.repeat(phone.length - visible.length) + visible;
}

/** The last four characters of an account number; fewer if more than half of it would be visible. */
export function lastDigits(accountNumber: string): string {
  const visible = Math.min(4, Math.floor(accountNumber.length / 2));
  return visible === 0 ? '' : accountNumber.slice(-visible);
}

/** `Asha` becomes `A***`. */
export function maskName(name: string): string {
  const [first = ''] = name;
  return `${first}***`;
}

/** Masks the UPI id in the details of a payment mode; other values are returned as they are. */
export function maskUpiId(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('upi_id' in value)) return value;
  const { upi_id: address } = value;
  return typeof address === 'string' ? { ...value, upi_id: maskAddress(address) } : value;
}

export function maskUser(user: User): User {
  const { countryCode, email, firstName, lastName, mobileNumber } = user;
  return {
    countryCode,
    ...(email !== undefined && { email: maskAddress(email) }),
    ...(firstName !== undefined && { firstName: maskName(firstName) }),
    ...(lastName !== undefined && { lastName: maskName(lastName) }),
    ...(mobileNumber !== undefined && { mobileNumber: maskPhone(mobileNumber) }),
  };
}

/**
 * Masks changes of an order before they enter its history, which is stored for ever: personal data appears there as an
 * order token would see it. A bank account cannot be changed. A change stays even if masking makes both values equal.
 * Contract 2.3, 2.9 and 4.7.
 */
export function maskChange({ field, from, to }: Change): Change {
  return { field, from: maskDetail(field, from), to: maskDetail(field, to) };
}

function maskDetail(field: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (field === 'user') return maskUser(value as User);
  if (field !== 'shippingAddress' && field !== 'billingAddress') return value;
  const { city, state, pincode, addressType } = value as Address;
  return withoutAbsent({ city, state, pincode, addressType });
}
