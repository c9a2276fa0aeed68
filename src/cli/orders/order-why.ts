/** `order why`: prints the timeline of an order, and what set each field of its transactions. docs/decisions/0044. */
import { isTransactionId } from '../../domain/ids.ts';
import { explanationText } from '../../domain/why/text.ts';
import { explainOrder } from '../../use-cases/orders/explain-order.ts';
import { findOrder } from '../../use-cases/orders/show-order.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';
import { accountOption, checkAccount, orderArgument } from '../framework/common-options.ts';
import { paint } from '../framework/screen.ts';

export const orderWhy = defineCommand({
  name: ['order', 'why'],
  summary: 'Explain an order: its timeline, and what set each field.',
  description:
    'Prints the life of an order on one timeline: requests, calls to the provider, deliveries with what they changed, and events sent to the shop. Then, for each field of each payment and refund: what set it, its previous value, and which other deliveries mentioned it and lost by which rule. Personal data is masked. A long timeline and many transactions are pages.',
  arguments: [orderArgument],
  options: {
    ...accountOption,
    'up-to': {
      value: 'TIME',
      text: 'The page of the timeline up to this time, as the page before names it.',
    },
    after: { value: 'ID', text: 'The transactions behind this one, where the last page ended.' },
  },
  examples: ['order why o_…', 'order why INV-1001 --account acc_…'],
  read: ({ values: { account, 'up-to': timeText, after }, positionals: [name = ''] }) => {
    const upTo = timeText === undefined ? undefined : new Date(timeText);
    if (upTo && Number.isNaN(upTo.getTime())) {
      throw new UsageError('--up-to must be a time in ISO 8601.');
    }
    if (after !== undefined && !isTransactionId(after)) {
      throw new UsageError('--after must be a transaction id.');
    }
    return { name, account, options: { masked: true, upTo, afterTransaction: after } };
  },
  run: async (services, { name, account, options }) => {
    await checkAccount(services, account);
    const found = await findOrder(services.database, name, account);
    if ('refusal' in found) throw new RefusedError(found.refusal);
    const explanation = await explainOrder(services, found.order, options);
    if (!explanation) throw new RefusedError(`There is no order ${found.order.orderId}.`);
    // The text is a part of the JSON, so that a ticket can quote what a script found.
    return { ...explanation, text: explanationText(explanation) };
  },
  // Titles are the lines that are not indented.
  render: ({ text }, screen) =>
    text
      .split('\n')
      .map((line) => (/^\S/.test(line) ? paint(screen, 'bold', line) : line))
      .join('\n'),
});
