/** An order as it is stored, and its status at a given time. */
import type { MinorUnits, SentAmount } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import type { SentPhone } from './phone.ts';

export const orderStatuses = ['new', 'pending', 'completed', 'lapsed'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export type Amounts = {
  readonly currency: string;
  readonly beforeTax: MinorUnits;
  readonly tax: MinorUnits;
  readonly total: MinorUnits;
};

/** Set when the order was received in one currency and is processed in another. Contract 3.7. */
export type CurrencyConversion = {
  readonly original: Amounts;
  /** Decimal text: the price of one major unit of the original currency in the other one. */
  readonly rate: string;
};

export type User = {
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly countryCode: string;
  readonly mobileNumber?: string;
};

export type SentUser = Omit<User, 'countryCode' | 'mobileNumber'> & SentPhone;

export type Address = {
  readonly address1?: string;
  readonly street?: string;
  readonly landmark?: string;
  readonly area?: string;
  readonly city?: string;
  readonly state?: string;
  readonly pincode?: string;
  readonly addressType?: string;
};

/** Numbers of cart items are stored as the merchant sent them. Contract 3.4. */
export type StoredNumber = number | string;

export type LineItem<Numeral = StoredNumber> = {
  readonly skuId?: string;
  readonly title: string;
  readonly description?: string;
  readonly imageUrl?: string | false;
  readonly rate?: Numeral;
  readonly quantity: Numeral;
  readonly amountBeforeTax?: Numeral;
  readonly tax?: Numeral;
  readonly totalAmount?: Numeral;
};

export type SentLineItem = LineItem<SentAmount>;

export type BankAccount = {
  readonly accountNumber?: string;
  readonly name?: string;
  readonly ifsc?: string;
};

/** In the order the merchant sent them. Pairs, because a key of an object could collide with an inherited one. */
export type CustomAttributes = ReadonlyArray<readonly [key: string, value: string]>;

/** The fields of an order that are stored and shown, and that do not affect its status or amounts. */
export type OrderDetails = {
  readonly user?: User;
  readonly shippingAddress?: Address;
  readonly billingAddress?: Address;
  readonly lineItems?: readonly LineItem[];
  /** Encrypted text once stored; clear in a request. */
  readonly bankAccount?: BankAccount | string;
  readonly customAttributes?: CustomAttributes;
  readonly callbackUrl?: string;
  readonly callbackMode?: string;
  readonly description?: string;
  readonly referrerPlatform?: string;
  readonly referrerPlatformVersion?: string;
  readonly ipAddress?: string;
  readonly merchantShopfrontDomain?: string;
  readonly validateOrderLineItem?: boolean;
};

export type SentDetails = Omit<OrderDetails, 'user' | 'lineItems'> & {
  readonly user?: SentUser;
  readonly lineItems?: readonly SentLineItem[];
};

/** An identifier of a consumer the order had before, so that erasing that consumer finds the order. Contract 8.7. */
export type EarlierConsumer = {
  readonly userId: string | null;
  /** A keyed digest of an e-mail address or phone number that the order no longer contains. */
  readonly digest: string;
};

export type Order = {
  readonly accountId: string;
  readonly orderId: string;
  readonly invoiceId: string;
  /** The status at the last save; `orderStatus` gives the current one. */
  readonly savedStatus: OrderStatus;
  readonly attempts: number;
  readonly amounts: Amounts;
  readonly conversion: CurrencyConversion | null;
  readonly userId: string | null;
  /** True once resolve-user has restricted the order to the consumer in `userId`. Contract 11.2. */
  readonly restricted: boolean;
  readonly details: OrderDetails;
  /** Absent while the consumer has never changed, which is nearly always. */
  readonly earlierConsumers?: readonly EarlierConsumer[];
  /** Tells a repeated create request from another one with the same invoice. Contract 3.5. */
  readonly contentDigest: Buffer;
  readonly createdAt: Date;
  readonly lapsesAt: Date;
  /** When it would lapse by itself, if a held payment keeps it open longer. Contract 16.2. */
  readonly ownLapsesAt?: Date;
  readonly flags: readonly ReviewFlag[];
};

/** An unpaid order lapses when its time is over, without a write. Contract 4.3. */
export function orderStatus(
  order: Pick<Order, 'savedStatus' | 'lapsesAt'>,
  now: Date,
): OrderStatus {
  if (order.savedStatus === 'completed') return 'completed';
  return now >= order.lapsesAt ? 'lapsed' : order.savedStatus;
}

export function ownLapseOf({ lapsesAt, ownLapsesAt }: Pick<Order, 'lapsesAt' | 'ownLapsesAt'>) {
  return ownLapsesAt ?? lapsesAt;
}

export const isOpen = (status: OrderStatus): boolean => status === 'new' || status === 'pending';
