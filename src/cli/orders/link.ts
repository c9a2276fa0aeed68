/** `link create` and `link cancel`: payment links of shops that send them by hand. Contract 14.6 and 19.2. */
import { commandLine } from '../../domain/audit.ts';
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findAccountIdOfLink } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { SentUser } from '../../domain/orders/order.ts';
import { linkStatus } from '../../domain/orders/payment-link.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Services } from '../../services/services.ts';
import { cancelPaymentLink } from '../../use-cases/orders/cancel-payment-link.ts';
import { createLinkByHand, type LinkRequest } from '../../use-cases/orders/create-payment-link.ts';
import {
  defineCommand,
  type OptionSpecs,
  type OptionValues,
  UsageError,
} from '../framework/command.ts';
import { accountArgument, checkAccount, readDuration } from '../framework/common-options.ts';
import { amountNumber } from '../framework/table.ts';

const linkOptions = {
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
    text: `When the order lapses: a duration such as 30d, or a time such as 2026-12-31T18:30Z, at most ${limits.linkExpiryDaysMax} days ahead. Without it, after ${limits.linkExpiryDays} days.`,
  },
  email: { value: 'ADDRESS', text: 'The e-mail address of the consumer.' },
  phone: { value: 'NUMBER', text: 'The mobile number of the consumer.' },
  name: { value: 'NAME', text: 'The name of the consumer.' },
} as const satisfies OptionSpecs;

type Given = OptionValues<typeof linkOptions>;

/** The fields are in the order of the API's mapping, so that equal content is equal in both. */
function readLinkRequest(given: Given): LinkRequest {
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
function readExpires(text: string | undefined): (now: Date) => string | undefined {
  if (text === undefined || !/^\d+[smhd]$/.test(text)) return () => text;
  const seconds = readDuration('--expires', text);
  return (now) => addSeconds(now, seconds).toISOString();
}

export const linkCreate = defineCommand({
  name: ['link', 'create'],
  summary: 'Create an order with a link to pay it.',
  description:
    'Creates an order and prints the link that opens its checkout. It needs neither a consumer nor items, whatever the account requires of its shop. The same command prints the same link again, unless --expires is a duration, which ends at another time.',
  arguments: [accountArgument],
  options: linkOptions,
  examples: [
    'link create acc_… --amount 118.00 --currency INR --invoice INV-1001',
    'link create acc_… --amount 118.00 --currency INR --invoice INV-1002 --expires 30d --email asha@example.com',
  ],
  read: ({ values, positionals: [accountId = ''] }) => {
    const request = readLinkRequest(values);
    return { accountId, request, expiresAt: readExpires(values.expires) };
  },
  run: async (services, { accountId, request, expiresAt }) => {
    await checkAccount(services, accountId);
    const given = { ...request, expiresAt: expiresAt(services.clock()) };
    const { order, link, url, replayed } = await create(services, accountId, given);
    const { currency, total } = order.amounts;
    return {
      paymentLink: url,
      paymentLinkId: link.linkId,
      expiresAt: order.lapsesAt,
      orderId: order.orderId,
      accountId,
      invoiceId: order.invoiceId,
      currency,
      totalAmount: amountNumber(total, currency),
      replayed,
    };
  },
});

const optionsOfFields: Readonly<Record<string, string>> = {
  total_amount: '--amount',
  currency: '--currency',
  expires_at: '--expires',
  'user.email': '--email',
  'user.mobile_number': '--phone',
  'user.country_code': '--phone',
};

/** A refusal names a field of the API; here it names the option. */
async function create(services: Services, accountId: string, request: LinkRequest) {
  try {
    return await createLinkByHand(services, commandLine, accountId, request);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [field = ''] = error.merchantMessage.split(' ');
    const option = optionsOfFields[field];
    if (option === undefined) throw error;
    throw new UsageError(`${option}${error.merchantMessage.slice(field.length)}`);
  }
}

export const linkCancel = defineCommand({
  name: ['link', 'cancel'],
  summary: 'Cancel a payment link.',
  description:
    'Cancels a payment link: its order lapses, and the link opens a page that says so. A payment that was started before and succeeds later still counts, and the link is paid then. A link that is cancelled already stays as it is.',
  arguments: [
    {
      name: 'PAYMENT_LINK_ID',
      phrase: 'the id of a payment link, or an account id with --invoice',
      text: 'The payment_link_id, or the account if --invoice names its order.',
    },
  ],
  options: {
    invoice: { value: 'INVOICE', text: 'The invoice of the order, in the given account.' },
  },
  examples: ['link cancel 4f9KxQ2mPz7LbT1c…', 'link cancel acc_… --invoice INV-1001'],
  read: ({ values: { invoice }, positionals: [name = ''] }) => {
    if (invoice !== undefined)
      return { accountId: name, names: { invoiceId: readInvoice(invoice) } };
    const accountId = findAccountIdOfLink(name);
    if (accountId !== undefined) return { accountId, names: { linkId: name } };
    throw new UsageError(
      name.startsWith('acc_')
        ? '--invoice is missing: give --invoice INVOICE with an account.'
        : `${name} is no payment_link_id: it has 32 letters and digits, the last part of the link.`,
    );
  },
  run: async (services, { accountId, names }) => {
    if ('invoiceId' in names) await checkAccount(services, accountId);
    const cancelled = await cancelPaymentLink(services, accountId, names, commandLine);
    const { order, link } = cancelled;
    return {
      paymentLinkId: link.linkId,
      status: linkStatus(link, order, services.clock()),
      orderId: order.orderId,
      accountId,
      invoiceId: order.invoiceId,
    };
  },
});
