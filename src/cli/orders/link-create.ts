/** `link create`: creates an order with a payment link, for shops that send a link by hand. Contract 14.6. */
import { commandLine } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Services } from '../../services/services.ts';
import type { CreatedLink, LinkRequest } from '../../use-cases/orders/create-payment-link.ts';
import { createLinkByHand } from '../../use-cases/orders/create-payment-link.ts';
import { defineCommand, UsageError } from '../framework/command.ts';
import { accountArgument, checkAccount } from '../framework/common-options.ts';
import { amountNumber } from '../framework/money-text.ts';
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
  prepare: ({ values, positionals: [accountId = ''] }) => {
    const request = readLinkRequest(values);
    const expiresAt = readExpires(values.expires);
    return {
      run: async (services) => {
        await checkAccount(services, accountId);
        const given = { ...request, expiresAt: expiresAt(services.clock()) };
        return linkView(await create(services, accountId, given));
      },
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
async function create(
  services: Services,
  accountId: string,
  request: LinkRequest,
): Promise<CreatedLink> {
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

function linkView({ order, link, replayed }: CreatedLink) {
  const { currency, total } = order.amounts;
  return {
    payment_link: link,
    expires_at: order.lapsesAt.toISOString(),
    order_id: order.orderId,
    account_id: order.accountId,
    invoice_id: order.invoiceId,
    currency,
    total_amount: amountNumber(total, currency),
    replayed,
  };
}
