/** The options of `link create`, and the request that they make. */
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { limits } from '../../domain/limits.ts';
import type { SentUser } from '../../domain/orders/order.ts';
import { addSeconds } from '../../domain/time.ts';
import type { LinkRequest } from '../../use-cases/orders/create-payment-link.ts';
import { type OptionSpecs, type OptionValues, UsageError } from '../framework/command.ts';
import { readDuration } from '../framework/common-options.ts';

export const linkOptions = {
  amount: {
    value: 'AMOUNT',
    text: 'The total including tax, in major units, such as 118.00.',
    isRequired: true,
  },
  currency: { value: 'CODE', text: 'The currency, such as INR.', isRequired: true },
  invoice: {
    value: 'INVOICE',
    text: 'Your own reference of the order. An invoice has one order for ever.',
    isRequired: true,
  },
  description: { value: 'TEXT', text: 'What the consumer pays for.' },
  expires: {
    value: 'TIME',
    text: `When the order lapses: a duration such as 30d, or a time such as 2026-12-31T18:30Z, at most ${limits.linkExpiryDaysMax} days ahead. Without it, the order lapses when any other would.`,
  },
  email: { value: 'ADDRESS', text: 'The e-mail address of the consumer.' },
  phone: { value: 'NUMBER', text: 'The mobile number of the consumer.' },
  name: { value: 'NAME', text: 'The name of the consumer.' },
} as const satisfies OptionSpecs;

type Given = OptionValues<typeof linkOptions>;

/** The fields are in the order of the API's mapping, so that equal content is equal in both. */
export function readLinkRequest(given: Given): LinkRequest {
  const { email, phone, name } = given;
  const hasUser = [email, phone, name?.trim()].some(Boolean);
  return {
    invoiceId: readInvoice(given.invoice),
    currency: given.currency,
    totalAmount: given.amount,
    details: {
      ...(hasUser && { user: readUser(given) }),
      description: readText('--description', given.description),
    },
  };
}

function readUser({ email, phone, name }: Given): SentUser {
  const [firstName, ...others] = readText('--name', name)?.trim().split(/\s+/) ?? [];
  return {
    email: readText('--email', email, limits.emailCharsMax),
    firstName: firstName || undefined,
    lastName: others.join(' ') || undefined,
    // Not masked here: with its country code a phone number may look like a card number. The domain decides.
    mobileNumber: phone || undefined,
  };
}

function readInvoice(invoice: string): string {
  if (invoice === '') throw new UsageError('--invoice must not be empty.');
  checkLength('--invoice', invoice, limits.invoiceIdCharsMax);
  return invoice;
}

/** An empty text counts as absent, as in the API. */
function readText(
  option: string,
  text: string | undefined,
  charsMax: number = limits.textCharsMax,
): string | undefined {
  if (!text) return undefined;
  checkLength(option, text, charsMax);
  return maskCardNumbers(text);
}

function checkLength(option: string, text: string, charsMax: number): void {
  if ([...text].length <= charsMax) return;
  throw new UsageError(`${option} must have at most ${charsMax} characters.`);
}

/** A duration counts from the time at which the command runs. A time is read when the order is created. */
export function readExpires(text: string | undefined): (now: Date) => string | undefined {
  if (text === undefined || !/^\d+[smhd]$/.test(text)) return () => text;
  const seconds = readDuration('--expires', text);
  return (now) => addSeconds(now, seconds).toISOString();
}
