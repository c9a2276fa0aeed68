/** `link create`: creates an order with a payment link, for shops that send a link by hand. Contract 14.6. */
import { commandLine } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Services } from '../../services/services.ts';
import { createLinkByHand, type LinkRequest } from '../../use-cases/orders/create-payment-link.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { accountArgument, checkAccount } from '../framework/common-options.ts';
import { amountNumber } from '../framework/table.ts';
import { linkOptions, readExpires, readLinkRequest } from './link-options.ts';

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
    const { order, link, replayed } = await create(services, accountId, given);
    const { currency, total } = order.amounts;
    return {
      paymentLink: link,
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
