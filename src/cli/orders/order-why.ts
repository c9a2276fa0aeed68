/** `order why`: prints the timeline of an order, and what set each field of its transactions. docs/decisions/0044. */

import { isTransactionId } from '../../domain/ids.ts';
import { withSnakeCase } from '../../domain/json/snake-case.ts';
import type { OrderExplanation } from '../../domain/why/explanation.ts';
import { explanationText } from '../../domain/why/text.ts';
import { explainOrder } from '../../use-cases/orders/explain-order.ts';
import { findOrder } from '../../use-cases/orders/show-order.ts';
import { defineCommand, type Outcome, RefusedError, UsageError } from '../framework/command.ts';
import { accountOption, checkAccount } from '../framework/common-options.ts';
import { paint, type Screen } from '../framework/screen.ts';

export const orderWhy = defineCommand({
  name: ['order', 'why'],
  summary: 'Explain an order: its timeline, and what set each field.',
  description:
    'Prints the life of an order on one timeline: requests, calls to the provider, deliveries with what they changed, and events sent to the shop. Then, for each field of each payment and refund: what set it, its previous value, and which other deliveries mentioned it and lost by which rule. Personal data is masked. A long timeline and many transactions are pages.',
  arguments: [
    {
      name: 'ORDER',
      phrase: 'an order id or an invoice',
      text: 'The order id, or the invoice of the shop.',
    },
  ],
  options: {
    ...accountOption,
    'up-to': {
      type: 'string',
      value: 'TIME',
      text: 'The page of the timeline up to this time, as the page before names it.',
    },
    after: {
      type: 'string',
      value: 'ID',
      text: 'The transactions behind this one, where the last page ended.',
    },
  },
  examples: ['order why o_…', 'order why INV-1001 --account acc_…'],
  prepare: ({ values, positionals: [name = ''] }) => {
    const upTo = readTime(values['up-to']);
    const afterTransaction = readTransactionId(values.after);
    return {
      run: async (services) => {
        const { account } = values;
        await checkAccount(services, account);
        const found = await findOrder(services.database, name, account);
        if ('refusal' in found) throw new RefusedError(found.refusal);
        const options = { masked: true, upTo, afterTransaction };
        const explanation = await explainOrder(services, found.order, options);
        if (!explanation) throw new RefusedError(`There is no order ${found.order.orderId}.`);
        return explainedView(explanation);
      },
      render: (outcome, screen) => render(outcome as ExplainedView, screen),
    };
  },
});

function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError('--up-to must be a time in ISO 8601.');
  return time;
}

function readTransactionId(text: string | undefined): string | undefined {
  if (text === undefined || isTransactionId(text)) return text;
  throw new UsageError('--after must be a transaction id.');
}

type ExplainedView = Outcome & { readonly text: string };

/** The text is a part of the JSON, so that a ticket can quote what a script found. */
function explainedView(explanation: OrderExplanation): ExplainedView {
  return { ...(withSnakeCase(explanation) as Outcome), text: explanationText(explanation) };
}

/** Titles are the lines that are not indented. */
function render({ text }: ExplainedView, screen: Screen): string {
  return text
    .split('\n')
    .map((line) => (/^\S/.test(line) ? paint(screen, 'bold', line) : line))
    .join('\n');
}
